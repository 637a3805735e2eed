//! Errors as JSON: a short name for scripts, and words for people.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use serde_json::json;

use crate::hall::Trouble;
use crate::world::Refusal;

/// An answer that something is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{words}")]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    words: String,
}

impl ApiError {
    /// The request makes no sense.
    pub(crate) fn bad(words: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            code: "bad_request",
            words: words.into(),
        }
    }

    /// The request cannot be read.
    pub(crate) fn unreadable(error: &dyn std::error::Error) -> Self {
        Self::bad(format!("看不懂这个请求：{error}"))
    }

    /// Not from here.
    pub(crate) fn forbidden(words: &str) -> Self {
        Self {
            status: StatusCode::FORBIDDEN,
            code: "forbidden",
            words: words.to_owned(),
        }
    }

    /// There is no such thing.
    pub(crate) fn missing(words: &str) -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            code: "not_found",
            words: words.to_owned(),
        }
    }
}

impl From<Trouble> for ApiError {
    fn from(trouble: Trouble) -> Self {
        let words = trouble.to_string();
        match trouble {
            Trouble::Refused(refusal) => Self {
                status: status_of(&refusal),
                code: refusal.code(),
                words,
            },
            Trouble::Unavailable(_) => Self {
                status: StatusCode::SERVICE_UNAVAILABLE,
                code: "unavailable",
                words,
            },
        }
    }
}

fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::NoSuchPerson(_)
        | Refusal::NoSuchGroup(_)
        | Refusal::NoSuchMessage
        | Refusal::NoSuchRequest
        | Refusal::NoSuchTable => StatusCode::NOT_FOUND,
        Refusal::NotAMember { .. }
        | Refusal::Barred { .. }
        | Refusal::Muted { .. }
        | Refusal::NoRight { .. }
        | Refusal::OwnerStays
        | Refusal::NoWayToBot(_)
        | Refusal::NotYours
        | Refusal::BotItself(_) => StatusCode::FORBIDDEN,
        Refusal::GroupTaken(_)
        | Refusal::AlreadyIn { .. }
        | Refusal::TooLate
        | Refusal::HouseFull => StatusCode::CONFLICT,
        Refusal::Empty | Refusal::TooLong(_) => StatusCode::BAD_REQUEST,
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::build(self.status).json(json!({"error": self.code, "message": self.words}))
    }
}

/// What is answered where nothing is.
pub(super) async fn no_such_path() -> Result<HttpResponse, ApiError> {
    Err(ApiError::missing("没有这个接口"))
}
