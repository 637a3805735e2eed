//! Where the broker is, and who we are there.

use std::fmt;

use lapin::uri::{AMQPScheme, AMQPUri};

/// A silent connection is given up after twice so long, in seconds.
const HEARTBEAT: u16 = 10;

/// A broker's address with our name and password. Only the place is ever shown.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Address(AMQPUri);

impl Address {
    /// Reads `amqp://user:password@host:port/vhost`. What is wrong is told without the text,
    /// which may hold a password.
    pub(super) fn parse(url: &str) -> Result<Self, String> {
        let shape = "it is to be amqp://user:password@host:port/vhost";
        if url.contains('[') {
            return Err(format!("give the host a name, or an IPv4 address; {shape}"));
        }
        let mut uri: AMQPUri = url
            .parse()
            .map_err(|_| format!("it cannot be read; {shape} (with %xx for special signs)"))?;
        if uri.scheme == AMQPScheme::AMQPS {
            return Err("TLS is not built in: put a TLS proxy before the broker".to_owned());
        }
        if uri.vhost.is_empty() {
            "/".clone_into(&mut uri.vhost);
        }
        uri.query.heartbeat = Some(HEARTBEAT);
        Ok(Self(uri))
    }

    pub(super) fn uri(&self) -> AMQPUri {
        self.0.clone()
    }

    pub(super) fn user(&self) -> &str {
        &self.0.authority.userinfo.username
    }

    pub(super) fn vhost(&self) -> &str {
        &self.0.vhost
    }
}

/// The place: host, port and virtual host.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = &self.0.authority;
        let vhost = self.0.vhost.trim_start_matches('/');
        write!(f, "{}:{}/{vhost}", authority.host, authority.port)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_and_shown_without_its_password() {
        let address = Address::parse("amqp://dusk:hu%20sh@broker:5673/games").unwrap();
        assert_eq!(address.uri().authority.userinfo.password, "hu sh");
        assert_eq!(address.user(), "dusk");
        assert_eq!(address.uri().query.heartbeat, Some(10));
        for shown in [address.to_string(), format!("{address:?}")] {
            assert!(shown.contains("broker:5673/games"), "{shown}");
            assert!(!shown.contains("hu"), "{shown}");
        }
    }

    #[test]
    fn the_default_vhost_needs_no_name() {
        for url in ["amqp://broker", "amqp://broker/", "amqp://broker/%2f"] {
            let address = Address::parse(url).unwrap();
            assert_eq!(address.vhost(), "/", "{url}");
            assert_eq!(address.to_string(), "broker:5672/");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_and_not_repeated() {
        for url in [
            "amqps://a:hush@host/",
            "amqp://a:hush@[::1]:5672/",
            "amqp://a:hush@host:port/",
            "amqp:a:hush",
        ] {
            let why = Address::parse(url).unwrap_err();
            assert!(!why.contains("hush"), "{why}");
        }
    }
}
