//! The page: files that are built into the program.

use actix_web::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use actix_web::{HttpRequest, HttpResponse};
use rust_embed::RustEmbed;

use super::error::ApiError;

#[derive(RustEmbed)]
#[folder = "web"]
struct Files;

/// Nothing from elsewhere, nothing inline, and no other page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// `GET /` and the files that it needs.
pub(super) async fn file(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let name = request.match_info().get("file").unwrap_or("index.html");
    let file = Files::get(name).ok_or_else(|| ApiError::missing("没有这一页"))?;
    let hash = file.metadata.sha256_hash();
    let tag = u64::from_be_bytes(*hash.first_chunk().unwrap_or(&[0; 8]));
    let tag = format!("\"{tag:016x}\"");
    let known = request
        .headers()
        .get(IF_NONE_MATCH)
        .is_some_and(|known| known == tag.as_str());
    let mut response = if known {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    response
        .insert_header((ETAG, tag))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header(("content-security-policy", POLICY))
        .insert_header(("x-content-type-options", "nosniff"))
        .insert_header(("referrer-policy", "no-referrer"))
        .insert_header(("cross-origin-opener-policy", "same-origin"))
        .content_type(kind(name));
    Ok(if known {
        response.finish()
    } else {
        response.body(file.data.into_owned())
    })
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
