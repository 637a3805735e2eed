//! Only this machine may use the playground: its people have no passwords. A page of another
//! site must not get at it either, neither through a name that it has pointed here (its `Host` is
//! foreign) nor by a request of its own (its `Origin` is foreign).

use std::net::IpAddr;

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Uri;
use actix_web::http::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use actix_web::middleware::Next;

use super::error::ApiError;

/// Lets requests from this machine pass.
pub(super) async fn local_only<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    check(request.peer_addr().map(|peer| peer.ip()), request.headers())?;
    next.call(request).await
}

fn check(peer: Option<IpAddr>, headers: &HeaderMap) -> Result<(), ApiError> {
    if !peer.is_some_and(|peer| peer.to_canonical().is_loopback()) {
        return Err(ApiError::forbidden("游乐场只在本机开放"));
    }
    let host = text(headers, &HOST).ok_or_else(|| ApiError::forbidden("缺少 Host"))?;
    if !is_local(host) {
        return Err(ApiError::forbidden(
            "请用 127.0.0.1 或 localhost 打开游乐场",
        ));
    }
    if headers.contains_key(ORIGIN) {
        let origin = text(headers, &ORIGIN).unwrap_or_default();
        if origin.strip_prefix("http://") != Some(host) {
            return Err(ApiError::forbidden("不接受别的网站发来的请求"));
        }
    }
    Ok(())
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Does a `Host` header, with or without a port, name this machine?
fn is_local(host: &str) -> bool {
    let Ok(uri) = host.parse::<Uri>() else {
        return false;
    };
    let Some(authority) = uri.authority() else {
        return false;
    };
    let name = authority
        .host()
        .trim_start_matches('[')
        .trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn passes(peer: &str, host: Option<&str>, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in [(HOST, host), (ORIGIN, origin)] {
            if let Some(value) = value {
                headers.insert(name, HeaderValue::from_str(value).unwrap());
            }
        }
        check(peer.parse().ok(), &headers).is_ok()
    }

    #[test]
    fn only_this_machine_and_its_own_page_pass() {
        let table = [
            ("127.0.0.1", Some("127.0.0.1:8080"), None, true),
            ("::1", Some("[::1]:8080"), None, true),
            ("::ffff:127.0.0.1", Some("LocalHost:80"), None, true),
            (
                "127.0.0.1",
                Some("localhost"),
                Some("http://localhost"),
                true,
            ),
            (
                "127.0.0.1",
                Some("127.0.0.1:8080"),
                Some("http://127.0.0.1:8080"),
                true,
            ),
            (
                "127.0.0.1",
                Some("127.0.0.1:8080"),
                Some("http://127.0.0.1:9090"),
                false,
            ),
            (
                "127.0.0.1",
                Some("127.0.0.1:8080"),
                Some("http://evil.example"),
                false,
            ),
            ("127.0.0.1", Some("127.0.0.1:8080"), Some("null"), false),
            ("127.0.0.1", Some("evil.example"), None, false),
            (
                "127.0.0.1",
                Some("127.0.0.1.evil.example:8080"),
                None,
                false,
            ),
            ("127.0.0.1", Some("localhost@evil.example"), None, false),
            ("127.0.0.1", None, None, false),
            ("192.168.1.7", Some("127.0.0.1:8080"), None, false),
            ("", Some("127.0.0.1:8080"), None, false),
        ];
        for (peer, host, origin, expected) in table {
            assert_eq!(
                passes(peer, host, origin),
                expected,
                "{peer} {host:?} {origin:?}"
            );
        }
    }
}
