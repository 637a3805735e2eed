//! One connection to the broker, from its handshake to its first error.

use std::io;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_rs::TokioRuntime;
use futures::StreamExt;
use lapin::tcp::{AMQPUriTcpExt, AsyncTcpStream};
use lapin::uri::AMQPUri;
use lapin::{Connection, ConnectionProperties, ErrorKind, Event};
use tokio::sync::watch;

use super::address::Address;

/// A handshake takes no longer.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Nor does a polite end.
const GOODBYE: Duration = Duration::from_millis(500);
/// Errors are told at once; this is for ends that nobody tells of.
const LOOK: Duration = Duration::from_secs(1);

/// How a connection is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    Well,
    /// The broker takes no messages.
    Blocked {
        why: String,
        since: Instant,
    },
    /// For good.
    Ended(String),
}

/// A connection. When it is closed or dropped, its socket is shut, whatever lapin is doing.
pub(super) struct Session {
    connection: Connection,
    condition: watch::Sender<Condition>,
    socket: Socket,
}

impl Session {
    /// Connects; says why not.
    pub(super) async fn open(address: &Address, name: &str) -> Result<Self, String> {
        let socket = Socket::default();
        let runtime = TokioRuntime::tokio_current();
        let slot = Arc::clone(&socket.0);
        let connect = async move |uri: AMQPUri, runtime: TokioRuntime| {
            let connecting = AMQPUriTcpExt::connect_async(&uri, &runtime);
            let stream = tokio::time::timeout(HANDSHAKE, connecting)
                .await
                .map_err(io::Error::from)??;
            if let AsyncTcpStream::Plain(plain) = &stream {
                keep(&slot, plain.get_ref())?;
            }
            Ok(stream)
        };
        let properties = ConnectionProperties::default().with_connection_name(name.into());
        let connecting = Connection::connector(address.uri(), runtime, connect, properties);
        let connection = tokio::time::timeout(HANDSHAKE, connecting)
            .await
            .map_err(|_| format!("{address} does not answer"))?
            .map_err(|error| explain(address, &error))?;
        let condition = watch::Sender::new(Condition::Well);
        tokio::spawn(watch_over(
            connection.events_listener(),
            connection.status().clone(),
            condition.clone(),
        ));
        Ok(Self {
            connection,
            condition,
            socket,
        })
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// How it is, now and later.
    pub(super) fn condition(&self) -> watch::Receiver<Condition> {
        self.condition.subscribe()
    }

    /// Ends it. The first reason stays.
    pub(super) fn end(&self, why: impl Into<String>) {
        end(&self.condition, why.into());
    }

    /// Something that ends it, for whoever does not hold it.
    pub(super) fn ender(&self) -> Box<dyn Fn(String) + Send> {
        let condition = self.condition.clone();
        Box::new(move |why| end(&condition, why))
    }

    /// Waits for its end; answers why.
    pub(super) async fn ended(&self) -> String {
        ended(&mut self.condition()).await
    }

    /// Says goodbye, if the broker listens.
    pub(super) async fn close(&self) {
        if self.connection.status().connected() {
            let goodbye = self.connection.close(200, "OK".into());
            // If it does not come through, the socket is shut all the same.
            let _ = tokio::time::timeout(GOODBYE, goodbye).await;
        }
        self.end("closed by ourselves");
        self.socket.shut();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end("closed by ourselves");
    }
}

/// Waits for the end of whose condition it is; answers why.
pub(super) async fn ended(condition: &mut watch::Receiver<Condition>) -> String {
    let last = condition
        .wait_for(|condition| matches!(condition, Condition::Ended(_)))
        .await;
    match last.as_deref() {
        Ok(Condition::Ended(why)) => why.clone(),
        _ => "the connection is gone".to_owned(),
    }
}

fn end(condition: &watch::Sender<Condition>, why: String) {
    condition.send_if_modified(|condition| {
        let lives = !matches!(condition, Condition::Ended(_));
        if lives {
            *condition = Condition::Ended(why);
        }
        lives
    });
}

async fn watch_over(
    events: impl futures::Stream<Item = Event> + Send + 'static,
    status: lapin::ConnectionStatus,
    condition: watch::Sender<Condition>,
) {
    let mut events = std::pin::pin!(events);
    let mut changes = condition.subscribe();
    let set = |new| {
        condition.send_if_modified(|now| {
            let lives = !matches!(now, Condition::Ended(_));
            if lives {
                *now = new;
            }
            lives
        });
    };
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            _ = ended(&mut changes) => return,
            () = tokio::time::sleep(LOOK) => {
                if !status.connected() {
                    end(&condition, "the connection is lost".to_owned());
                }
                continue;
            }
        };
        match event {
            Some(Event::ConnectionBlocked(why)) => {
                tracing::error!(
                    %why,
                    "the broker takes no messages; it wants memory or disk, and goes on by itself \
                     when it has enough"
                );
                set(Condition::Blocked {
                    why: format!("the broker takes no messages: {why} (a memory or disk alarm?)"),
                    since: Instant::now(),
                });
            }
            Some(Event::ConnectionUnblocked) => {
                tracing::info!("the broker takes messages again");
                set(Condition::Well);
            }
            Some(Event::Error(error)) => {
                end(&condition, format!("the connection is lost: {error}"));
            }
            Some(_) => {}
            None => end(&condition, "the connection is lost".to_owned()),
        }
    }
}

/// Says to an operator why there is no connection.
fn explain(address: &Address, error: &lapin::Error) -> String {
    let user = address.user();
    match error.kind() {
        ErrorKind::ProtocolError(refusal) => match refusal.get_id() {
            403 => format!("{address} refuses user {user:?}, or its password: see bus.url"),
            530 => format!(
                "{address}: no virtual host {:?}, or none for user {user:?}: {}",
                address.vhost(),
                refusal.get_message()
            ),
            _ => format!("{address}: {}", refusal.get_message()),
        },
        ErrorKind::IOError(error) => format!("{address} cannot be reached: {error}"),
        _ => format!("{address}: {error}"),
    }
}

enum Slot {
    Empty,
    Open(std::net::TcpStream),
    Shut,
}

/// A second handle of a connection's socket: with it a connection ends for sure, also one whose
/// other side is silent. Otherwise lapin's thread would wait for the other side.
struct Socket(Arc<Mutex<Slot>>);

impl Default for Socket {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Slot::Empty)))
    }
}

fn keep(slot: &Mutex<Slot>, stream: &tokio::net::TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let second = stream.as_fd().try_clone_to_owned()?;
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    match *slot {
        Slot::Shut => Err(io::ErrorKind::ConnectionAborted.into()),
        Slot::Empty | Slot::Open(_) => {
            *slot = Slot::Open(second.into());
            Ok(())
        }
    }
}

impl Socket {
    fn shut(&self) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Slot::Open(socket) = std::mem::replace(&mut *slot, Slot::Shut) {
            // It may be shut already.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.shut();
    }
}
