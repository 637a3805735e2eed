//! The `OneBot` side: what `NapCat` would be in production. Connects to Duskgate by a reverse
//! WebSocket, tells what happens, and does what it is asked to do. Nothing is kept for a
//! connection that is away, and nothing is replayed.

mod actions;
mod doors;
mod events;
mod faults;
mod names;
mod reads;
mod reply;
mod sends;
mod session;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use tokio_tungstenite::connect_async_with_config;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue, Request};
use tokio_util::sync::CancellationToken;

pub(crate) use faults::FaultBoard;
pub use faults::{Faults, IdStyle, MessageStyle, RefuseSends, TemporaryStyle};

use actions::Side;
use names::Memory;
use session::{Ending, Session};

use crate::hall::Hall;

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(2);
/// How long it waits before it tries to connect again.
const AGAIN: Duration = Duration::from_millis(500);

/// Where to connect to.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// `ws://<listen>/onebot/v11/ws`.
    pub(crate) url: String,
    /// What the other end asks for.
    pub(crate) token: String,
    /// How often it says that it lives.
    pub(crate) heartbeat: Duration,
}

/// Stays connected to all of these until it is told to stop.
pub(crate) async fn run(
    hall: Arc<Hall>,
    faults: Arc<FaultBoard>,
    targets: Vec<Target>,
    stop: CancellationToken,
) {
    let side = Arc::new(Side {
        hall,
        faults,
        memory: Memory::default(),
    });
    let connections = targets.iter().map(|to| stay_connected(&side, to, &stop));
    join_all(connections).await;
}

/// Connects, again and again, until it is told to stop.
async fn stay_connected(side: &Arc<Side>, target: &Target, stop: &CancellationToken) {
    loop {
        let ending = tokio::select! {
            () = stop.cancelled() => return,
            ending = connect_once(side, target, stop) => ending,
        };
        let pause = match ending {
            Ending::Stopped => return,
            Ending::Cut { away } => away,
            Ending::Lost => AGAIN,
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn connect_once(side: &Arc<Side>, target: &Target, stop: &CancellationToken) -> Ending {
    if let Some(ending) = session::cut(side) {
        return ending;
    }
    let request = match request(target, side.hall.bot().0) {
        Ok(request) => request,
        Err(error) => {
            tracing::error!(%error, url = target.url, "the playground cannot connect to this address");
            return Ending::Lost;
        }
    };
    // Without Nagle's algorithm: what somebody types must not wait for an earlier frame's receipt.
    let connecting = connect_async_with_config(request, None, true);
    match tokio::time::timeout(HANDSHAKE, connecting).await {
        Ok(Ok((socket, _))) => {
            tracing::debug!(url = target.url, "the playground is connected");
            Session::new(Arc::clone(side), target.heartbeat)
                .run(socket, stop)
                .await
        }
        Ok(Err(error)) => {
            tracing::debug!(%error, "the playground could not connect");
            Ending::Lost
        }
        Err(_) => Ending::Lost,
    }
}

fn request(target: &Target, account: u64) -> anyhow::Result<Request<()>> {
    let mut request = target.url.as_str().into_client_request()?;
    let headers = request.headers_mut();
    let mut set = |name: &'static str, value: String| -> anyhow::Result<()> {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_str(&value)?,
        );
        Ok(())
    };
    set("x-self-id", account.to_string())?;
    set("x-client-role", "Universal".to_owned())?;
    set("authorization", format!("Bearer {}", target.token))?;
    set("user-agent", "OneBot/11".to_owned())?;
    Ok(request)
}
