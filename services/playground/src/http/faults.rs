//! What goes wrong on the other side.

use actix_web::HttpResponse;
use actix_web::web::{Data, Json};
use serde_json::Value;

use super::error::ApiError;
use crate::Playground;

/// `GET /faults`.
pub(super) async fn show(playground: Data<Playground>) -> HttpResponse {
    HttpResponse::Ok().json(playground.faults().now())
}

/// `POST /faults`: those named are set, the others stay.
pub(super) async fn set(
    playground: Data<Playground>,
    named: Json<Value>,
) -> Result<HttpResponse, ApiError> {
    let faults = playground
        .faults()
        .set(&named)
        .map_err(|error| ApiError::bad(error.to_string()))?;
    Ok(HttpResponse::Ok().json(faults))
}

/// `DELETE /faults`: everything works again.
pub(super) async fn clear(playground: Data<Playground>) -> HttpResponse {
    playground.faults().clear();
    HttpResponse::Ok().json(playground.faults().now())
}
