//! Sides that connect to us: `/onebot/v11/ws`.

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Payload, Query, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use actix_ws::{AggregatedMessage, AggregatedMessageStream, CloseCode, CloseReason, Session};
use kit::config::Secret;
use onebot::{bearer, same_secret};
use protocol::AccountId;
use tokio::sync::mpsc::UnboundedReceiver;

use super::hub::{AccountSide, Pulse};
use super::link::{Closing, Inlet, Link, Outgoing, Role};
use crate::bridge::Bridge;

/// Adds the address at which sides connect.
pub(crate) fn routes(bridge: &Bridge, config: &mut ServiceConfig) {
    for path in ["/onebot/v11/ws", "/onebot/v11/ws/"] {
        config.service(
            web::resource(path)
                .app_data(Data::new(bridge.clone()))
                .route(web::get().to(connect)),
        );
    }
}

async fn connect(
    request: HttpRequest,
    payload: Payload,
    query: Query<HashMap<String, String>>,
    bridge: Data<Bridge>,
) -> actix_web::Result<HttpResponse> {
    let account = match admit(&request, &query, &bridge) {
        Ok(account) => account,
        Err((status, why)) => {
            tracing::warn!(why, "chat side refused");
            return Ok(HttpResponse::build(status).body(why));
        }
    };
    if bridge.parts().shutdown.is_cancelled() {
        return Ok(HttpResponse::ServiceUnavailable().body("stopping"));
    }
    let role = Role::read(header(&request, "X-Client-Role"));
    let (response, session, stream) = actix_ws::handle(&request, payload)?;
    let limit = bridge.settings().limits.frame;
    let stream = stream
        .max_frame_size(limit)
        .aggregate_continuations()
        .max_continuation_size(limit);
    let side = bridge.hub().side(account);
    let (link, inlet, wire) = Link::new(role);
    side.attach(&link);
    actix_web::rt::spawn(write(session.clone(), wire));
    actix_web::rt::spawn(read(
        bridge.get_ref().clone(),
        side,
        link,
        inlet,
        stream,
        session,
    ));
    Ok(response)
}

/// Which account a request may connect for.
fn admit(
    request: &HttpRequest,
    query: &HashMap<String, String>,
    bridge: &Bridge,
) -> Result<AccountId, (StatusCode, &'static str)> {
    let given = header(request, "Authorization")
        .and_then(bearer)
        .or_else(|| query.get("access_token").map(String::as_str))
        .filter(|token| !token.is_empty());
    let Some(given) = given else {
        return Err((StatusCode::UNAUTHORIZED, "access token is missing"));
    };
    let account = header(request, "X-Self-ID").map(|id| id.trim().parse().map(AccountId));
    let expected = match &account {
        Some(Ok(account)) => bridge.settings().token(*account),
        _ => bridge.settings().access_token.as_ref().map(Secret::reveal),
    };
    let Some(expected) = expected else {
        return Err((
            StatusCode::FORBIDDEN,
            "no access token is configured (onebot.access_token_file)",
        ));
    };
    if !same_secret(expected, given) {
        return Err((StatusCode::FORBIDDEN, "access token is wrong"));
    }
    match account {
        Some(Ok(account)) => Ok(account),
        Some(Err(_)) => Err((StatusCode::BAD_REQUEST, "X-Self-ID is no account number")),
        None => Err((StatusCode::BAD_REQUEST, "X-Self-ID is missing")),
    }
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    request.headers().get(name)?.to_str().ok()
}

/// Puts on the wire what is to be sent, until the connection is closed.
async fn write(mut session: Session, mut wire: UnboundedReceiver<Outgoing>) {
    while let Some(outgoing) = wire.recv().await {
        let sent = match outgoing {
            Outgoing::Text(text) => session.text(text).await,
            Outgoing::Ping(now) => session.ping(now.0.to_string().as_bytes()).await,
            Outgoing::Close(why) => {
                close(session, why).await;
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

async fn close(session: Session, why: Closing) {
    let (code, words) = why.code();
    let reason = CloseReason {
        code: CloseCode::from(code),
        description: Some(words.to_owned()),
    };
    // It may be closed already; then there is nothing left to say.
    let _ = session.close(Some(reason)).await;
}

/// Reads from the wire until the connection ends.
async fn read(
    bridge: Bridge,
    side: Arc<AccountSide>,
    link: Link,
    inlet: Inlet,
    mut stream: AggregatedMessageStream,
    mut session: Session,
) {
    let limits = bridge.settings().limits;
    let mut pulse = Pulse::new(limits.silence);
    let mut beat = tokio::time::interval(limits.beat);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let why = loop {
        let message = tokio::select! {
            message = stream.recv() => message,
            _ = beat.tick() => {
                if pulse.is_dead() {
                    break Some(Closing::Unwell);
                }
                link.send(Outgoing::Ping(bridge.parts().clock.now()));
                continue;
            }
            () = bridge.parts().shutdown.cancelled() => break Some(Closing::Stopping),
        };
        pulse.beat();
        let taken = match message {
            Some(Ok(AggregatedMessage::Text(text))) => side.frame(&link, &inlet, &text),
            // The standard knows text frames only.
            Some(Ok(AggregatedMessage::Binary(_))) => Ok(()),
            Some(Ok(AggregatedMessage::Pong(asked))) => match bridge.asked_at(&asked) {
                Some(asked) => side.alive(&link, &inlet, asked),
                None => Ok(()),
            },
            Some(Ok(AggregatedMessage::Ping(bytes))) => {
                // When it cannot be answered the stream says so next.
                let _ = session.pong(&bytes).await;
                Ok(())
            }
            Some(Ok(AggregatedMessage::Close(_))) | None => break None,
            Some(Err(error)) => {
                tracing::warn!(account = %side.account, %error, "connection broken off");
                break Some(Closing::TooLong);
            }
        };
        if let Err(why) = taken {
            break Some(why);
        }
    };
    side.detach(&link);
    drop(inlet);
    close(session, why.unwrap_or(Closing::Stopping)).await;
}
