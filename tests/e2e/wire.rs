//! A bare connection to the `OneBot` door, as a chat side opens it.

use std::sync::LazyLock;

use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::site::{PATIENCE, Site};

/// The connection itself.
pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// What carries all connections of the tests.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime")
    });
    &RUNTIME
}

/// Knocks with these headers: a connection, or the status of the refusal.
pub fn dial(site: &Site, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
    knock(site, "", headers)
}

/// The same with a query behind the address.
pub fn knock(site: &Site, query: &str, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
    let address = site.url().replacen("http", "ws", 1);
    let mut request = format!("{address}/onebot/v11/ws{query}")
        .into_client_request()
        .expect("an address");
    for (name, value) in headers {
        let value = HeaderValue::from_str(value).expect("a header");
        request
            .headers_mut()
            .insert(HeaderName::from_static(name), value);
    }
    let knocking = async { tokio::time::timeout(PATIENCE, connect_async(request)).await };
    match runtime().block_on(knocking) {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(Error::Http(refusal))) => Err(refusal.status().as_u16()),
        Ok(Err(error)) => panic!("the door does not answer: {error}"),
        Err(late) => panic!("the door does not answer in time: {late}"),
    }
}

/// What a connection brings.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// A call.
    Call(Value),
    /// The end, with the code of the close frame when there was one.
    End(Option<u16>),
}

/// Sends a frame; one that can no longer be sent is lost, and reading tells.
pub fn send(socket: &mut Socket, frame: Message) {
    let _ = runtime().block_on(socket.send(frame));
}

/// Waits for what comes next.
pub fn next(socket: &mut Socket) -> Frame {
    let waiting = async { tokio::time::timeout(PATIENCE, read(socket)).await };
    runtime()
        .block_on(waiting)
        .expect("something comes in time")
}

async fn read(socket: &mut Socket) -> Frame {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                return Frame::Call(serde_json::from_str(&text).expect("calls are JSON"));
            }
            Some(Ok(Message::Close(frame))) => return Frame::End(frame.map(|f| f.code.into())),
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return Frame::End(None),
        }
    }
}

/// Waits until the other end has closed it, whatever it says before.
pub fn closed(socket: &mut Socket) -> Option<u16> {
    loop {
        if let Frame::End(code) = next(socket) {
            return code;
        }
    }
}
