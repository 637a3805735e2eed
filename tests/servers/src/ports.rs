//! Ports that nobody uses.

use std::io;
use std::net::{Ipv4Addr, TcpListener};

/// So many different ports of the loopback address that were free a moment ago. Somebody else may
/// take one before the server does: start it again with others when it says so.
pub fn free_ports(count: usize) -> io::Result<Vec<u16>> {
    // All are held until all are known, so that none is given twice.
    let held = (0..count)
        .map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
        .collect::<io::Result<Vec<_>>>()?;
    held.iter()
        .map(|listener| Ok(listener.local_addr()?.port()))
        .collect()
}
