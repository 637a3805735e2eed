//! A network that misbehaves: a proxy between a client and its server.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::ServerError;

/// How the network is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weather {
    Fair,
    /// Every piece takes so long.
    Slow(Duration),
    /// Connections stay and nothing passes.
    Still,
    /// There is nobody at the address.
    Gone,
}

/// A proxy on a port of the loopback address. Dropping it cuts all connections.
#[derive(Debug)]
pub struct Proxy {
    weather: watch::Sender<Weather>,
    /// Counts the cuts; a connection ends when it changes.
    cuts: watch::Sender<u64>,
    port: u16,
    _tasks: JoinSet<()>,
}

impl Proxy {
    /// Starts one before the server at this port of the loopback address.
    pub async fn start(server: u16) -> Result<Self, ServerError> {
        let trouble = || ServerError::io("the proxy's port");
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .map_err(trouble())?;
        let port = listener.local_addr().map_err(trouble())?.port();
        let weather = watch::Sender::new(Weather::Fair);
        let cuts = watch::Sender::new(0);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(
            listener,
            SocketAddr::from(([127, 0, 0, 1], server)),
            weather.subscribe(),
            cuts.subscribe(),
        ));
        Ok(Self {
            weather,
            cuts,
            port,
            _tasks: tasks,
        })
    }

    /// Where clients connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends all connections; new ones are taken.
    pub fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Ends all connections and each new one at once, until [`mend`](Self::mend).
    pub fn refuse(&self) {
        self.weather.send_replace(Weather::Gone);
        self.cut();
    }

    /// Holds everything back, until [`mend`](Self::mend). Nothing is lost.
    pub fn stall(&self) {
        self.weather.send_replace(Weather::Still);
    }

    /// Every piece takes so long in each direction, until [`mend`](Self::mend).
    pub fn delay(&self, by: Duration) {
        self.weather.send_replace(Weather::Slow(by));
    }

    /// The network is well again.
    pub fn mend(&self) {
        self.mender().mend();
    }

    /// For whoever is to mend it later.
    pub fn mender(&self) -> Mender {
        Mender(self.weather.clone())
    }
}

/// Mends a network that may be gone by then.
#[derive(Debug, Clone)]
pub struct Mender(watch::Sender<Weather>);

impl Mender {
    /// The network is well again.
    pub fn mend(&self) {
        self.0.send_replace(Weather::Fair);
    }
}

async fn accept(
    listener: TcpListener,
    server: SocketAddr,
    weather: watch::Receiver<Weather>,
    cuts: watch::Receiver<u64>,
) {
    let mut connections = JoinSet::new();
    loop {
        let client = tokio::select! {
            client = listener.accept() => client,
            Some(_) = connections.join_next() => continue,
        };
        let Ok((client, _)) = client else { continue };
        if *weather.borrow() == Weather::Gone {
            continue;
        }
        let (weather, mut cuts) = (weather.clone(), cuts.clone());
        cuts.mark_unchanged();
        connections.spawn(async move {
            tokio::select! {
                // Who is cut off hears of it by the end of its connection.
                _ = carry(client, server, weather) => {}
                _ = cuts.changed() => {}
            }
        });
    }
}

async fn carry(
    client: TcpStream,
    server: SocketAddr,
    weather: watch::Receiver<Weather>,
) -> io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        ended = pass(from_client, to_server, weather.clone()) => ended,
        ended = pass(from_server, to_client, weather) => ended,
    }
}

async fn pass(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut weather: watch::Receiver<Weather>,
) -> io::Result<()> {
    let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
    let mut piece = vec![0; 16 * 1024];
    loop {
        let length = from.read(&mut piece).await?;
        if length == 0 {
            return Ok(());
        }
        let now = *weather
            .wait_for(|weather| !matches!(weather, Weather::Still | Weather::Gone))
            .await
            .map_err(|_| gone())?;
        if let Weather::Slow(by) = now {
            tokio::time::sleep(by).await;
        }
        to.write_all(&piece[..length]).await?;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::DEADLINE;

    /// A server that sends everything back.
    async fn echo() -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut from, mut to) = stream.into_split();
                    tokio::io::copy(&mut from, &mut to).await
                });
            }
        });
        port
    }

    async fn round(stream: &mut TcpStream) -> io::Result<()> {
        stream.write_all(b"word").await?;
        let mut word = [0; 4];
        tokio::time::timeout(DEADLINE, stream.read_exact(&mut word)).await??;
        assert_eq!(&word, b"word");
        Ok(())
    }

    #[tokio::test]
    async fn every_weather_shows() {
        let proxy = Proxy::start(echo().await).await.unwrap();
        let connect = || TcpStream::connect(("127.0.0.1", proxy.port()));
        let mut stream = connect().await.unwrap();
        round(&mut stream).await.unwrap();

        proxy.delay(Duration::from_millis(20));
        let began = Instant::now();
        round(&mut stream).await.unwrap();
        assert!(began.elapsed() >= Duration::from_millis(40), "both ways");

        proxy.stall();
        stream.write_all(b"word").await.unwrap();
        let mut word = [0; 4];
        let patience = Duration::from_millis(30);
        let stalled = tokio::time::timeout(patience, stream.read_exact(&mut word)).await;
        assert!(stalled.is_err(), "nothing passes");
        proxy.mend();
        tokio::time::timeout(DEADLINE, stream.read_exact(&mut word))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(&word, b"word", "and nothing is lost");

        proxy.cut();
        assert!(round(&mut stream).await.is_err());
        let mut stream = connect().await.unwrap();
        round(&mut stream).await.unwrap();

        proxy.refuse();
        assert!(round(&mut stream).await.is_err());
        let mut refused = connect().await.unwrap();
        assert!(round(&mut refused).await.is_err());
        proxy.mend();
        round(&mut connect().await.unwrap()).await.unwrap();
    }
}
