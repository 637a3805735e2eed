//! Sides that we connect to.

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use onebot::{Action, Frame, Outcome, Refusal};
use protocol::AccountId;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use super::hub::{AccountSide, Pulse};
use super::link::{Closing, Inlet, Link, Outgoing, Role};
use crate::bridge::Bridge;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A connection that lasted so long was a good one: the next try comes soon.
const LASTED: Duration = Duration::from_secs(60);

/// Why a connection could not be used.
#[derive(Debug, thiserror::Error)]
enum ConnectError {
    #[error("address is no WebSocket address: {0}")]
    Address(String),
    #[error("cannot connect: {0}")]
    Unreachable(#[source] Box<tungstenite::Error>),
    #[error("the side refuses our access token (check onebot.access_token_file)")]
    Auth,
    #[error("the side does not say which account it is")]
    NoAccount,
}

/// Keeps a connection to a side until we stop, with growing, uneven pauses between the tries.
pub(crate) async fn keep_connected(bridge: Bridge, url: String) {
    let shutdown = bridge.parts().shutdown.clone();
    let limits = bridge.settings().limits;
    let mut pause = limits.reconnect;
    while !shutdown.is_cancelled() {
        let began = Instant::now();
        let tried = tokio::select! {
            tried = connect_and_pump(&bridge, &url) => tried,
            () = shutdown.cancelled() => return,
        };
        match tried {
            Ok(()) => tracing::warn!(%url, "connection to chat side ended"),
            Err(error) => tracing::error!(%url, %error, "chat side"),
        }
        pause = if began.elapsed() > LASTED {
            limits.reconnect
        } else {
            pause
        };
        tokio::select! {
            () = tokio::time::sleep(crate::pace::uneven(pause)) => {}
            () = shutdown.cancelled() => return,
        }
        pause = (pause * 2).min(limits.reconnect_most);
    }
}

async fn connect_and_pump(bridge: &Bridge, url: &str) -> Result<(), ConnectError> {
    let limits = bridge.settings().limits;
    let mut request = url
        .into_client_request()
        .map_err(|error| ConnectError::Address(error.to_string()))?;
    if let Some(token) = &bridge.settings().access_token {
        let value = HeaderValue::from_str(&format!("Bearer {}", token.reveal()))
            .map_err(|_| ConnectError::Address("access token has odd characters".into()))?;
        request.headers_mut().insert("Authorization", value);
    }
    let config = WebSocketConfig::default()
        .max_message_size(Some(limits.frame))
        .max_frame_size(Some(limits.frame));
    let connecting = connect_async_with_config(request, Some(config), true);
    let (mut socket, _) = timeout(limits.call, connecting)
        .await
        .map_err(|_| timed_out())?
        .map_err(unreachable)?;
    let (account, first) = introduce(&mut socket, limits.call).await?;
    if bridge.settings().accounts.contains_key(&account) {
        // Such an account is let in by its own token only.
        return Err(ConnectError::Auth);
    }
    let side = bridge.hub().side(account);
    let (link, inlet, mut wire) = Link::new(Role::Universal);
    side.attach(&link);
    let mut taken = Ok(());
    for text in first {
        taken = taken.and_then(|()| side.frame(&link, &inlet, &text));
    }
    let why = match taken {
        Ok(()) => pump(bridge, &side, &link, &inlet, &mut socket, &mut wire).await,
        Err(why) => Some(why),
    };
    side.detach(&link);
    drop(inlet);
    let (code, words) = why.unwrap_or(Closing::Stopping).code();
    let frame = CloseFrame {
        code: CloseCode::from(code),
        reason: words.into(),
    };
    // It may be closed already; then there is nothing left to say.
    let _ = socket.close(Some(frame)).await;
    Ok(())
}

fn unreachable(error: tungstenite::Error) -> ConnectError {
    match &error {
        tungstenite::Error::Http(response) if matches!(response.status().as_u16(), 401 | 403) => {
            ConnectError::Auth
        }
        _ => ConnectError::Unreachable(Box::new(error)),
    }
}

fn timed_out() -> ConnectError {
    let late = std::io::Error::from(std::io::ErrorKind::TimedOut);
    ConnectError::Unreachable(Box::new(tungstenite::Error::Io(late)))
}

/// Finds out which account a side has: its first events say so, else it is asked. Some sides
/// accept every connection and then say that the token is wrong. Also gives what came meanwhile.
async fn introduce(
    socket: &mut Socket,
    patience: Duration,
) -> Result<(AccountId, Vec<String>), ConnectError> {
    const ECHO: &str = "introduce";
    let asked = socket
        .send(Message::text(Action::GetLogin.frame(ECHO)))
        .await;
    asked.map_err(unreachable)?;
    let listening = async {
        let mut first = Vec::new();
        loop {
            let text = match socket.next().await {
                Some(Ok(Message::Text(text))) => text.to_string(),
                Some(Ok(Message::Close(_))) | None => return Err(ConnectError::NoAccount),
                Some(Ok(_)) => continue,
                Some(Err(error)) => return Err(unreachable(error)),
            };
            match Frame::read(&text) {
                Ok(Frame::Answer(answer)) => match answer.outcome() {
                    Outcome::Refused {
                        why: Refusal::Auth, ..
                    } => return Err(ConnectError::Auth),
                    Outcome::Done(data) if answer.echo_text() == Some(ECHO) => {
                        let login = onebot::data::login(&data).ok_or(ConnectError::NoAccount)?;
                        return Ok((AccountId(login.user), first));
                    }
                    _ => {}
                },
                Ok(Frame::Event(event)) => {
                    let account = event.self_id;
                    first.push(text);
                    if let Some(account) = account {
                        return Ok((AccountId(account), first));
                    }
                }
                _ => {}
            }
        }
    };
    timeout(patience, listening)
        .await
        .map_err(|_| ConnectError::NoAccount)?
}

/// Moves frames both ways until the connection ends; says why when we end it.
async fn pump(
    bridge: &Bridge,
    side: &Arc<AccountSide>,
    link: &Link,
    inlet: &Inlet,
    socket: &mut Socket,
    wire: &mut tokio::sync::mpsc::UnboundedReceiver<Outgoing>,
) -> Option<Closing> {
    let limits = bridge.settings().limits;
    let mut pulse = Pulse::new(limits.silence);
    let mut beat = tokio::time::interval(limits.beat);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let taken = tokio::select! {
            message = socket.next() => {
                pulse.beat();
                match message {
                    Some(Ok(Message::Text(text))) => side.frame(link, inlet, &text),
                    Some(Ok(Message::Pong(asked))) => match bridge.asked_at(&asked) {
                        Some(asked) => side.alive(link, inlet, asked),
                        None => Ok(()),
                    },
                    Some(Ok(Message::Close(_))) | None => return None,
                    Some(Ok(_)) => Ok(()),
                    Some(Err(tungstenite::Error::Capacity(error))) => {
                        tracing::warn!(account = %side.account, %error, "connection broken off");
                        return Some(Closing::TooLong);
                    }
                    Some(Err(error)) => {
                        tracing::warn!(account = %side.account, %error, "connection broken off");
                        return None;
                    }
                }
            }
            outgoing = wire.recv() => {
                let message = match outgoing {
                    Some(Outgoing::Text(text)) => Message::text(text),
                    Some(Outgoing::Ping(now)) => Message::Ping(now.0.to_string().into()),
                    Some(Outgoing::Close(why)) => return Some(why),
                    None => return None,
                };
                if socket.send(message).await.is_err() {
                    return None;
                }
                Ok(())
            }
            _ = beat.tick() => {
                if pulse.is_dead() {
                    return Some(Closing::Unwell);
                }
                link.send(Outgoing::Ping(bridge.parts().clock.now()));
                Ok(())
            }
        };
        if let Err(why) = taken {
            return Some(why);
        }
    }
}
