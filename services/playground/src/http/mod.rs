//! The HTTP side: a small interface for scripts, and the page.

mod error;
mod faults;
mod groups;
mod guard;
mod input;
mod page;
mod stream;
mod tables;
mod users;

use actix_web::middleware::from_fn;
use actix_web::web::{self, JsonConfig, PathConfig, QueryConfig, ServiceConfig};

use crate::Playground;
use error::ApiError;

/// The largest body that is read.
const BODY_LIMIT: usize = 512 * 1024;

/// Adds the interface and the page.
pub(crate) fn configure(playground: &Playground, config: &mut ServiceConfig) {
    let api = web::scope("/playground/api")
        .app_data(web::Data::new(playground.clone()))
        .app_data(
            JsonConfig::default()
                .limit(BODY_LIMIT)
                .error_handler(|error, _| ApiError::unreadable(&error).into()),
        )
        .app_data(
            PathConfig::default().error_handler(|error, _| ApiError::unreadable(&error).into()),
        )
        .app_data(
            QueryConfig::default().error_handler(|error, _| ApiError::unreadable(&error).into()),
        )
        .wrap(from_fn(guard::local_only))
        .route("/clock", web::get().to(users::clock))
        .route("/clock", web::post().to(users::advance))
        .route("/users", web::get().to(users::list))
        .route("/users", web::post().to(users::create))
        .route("/users/{id}", web::get().to(users::show))
        .route("/users/{id}/friend", web::post().to(users::befriend))
        .route("/users/{id}/send", web::post().to(users::send))
        .route("/users/{id}/recall", web::post().to(users::recall))
        .route("/users/{id}/join", web::post().to(users::join))
        .route("/users/{id}/leave", web::post().to(users::leave))
        .route("/users/{id}/chats", web::get().to(stream::chats))
        .route("/users/{id}/stream", web::get().to(stream::stream))
        .route("/groups", web::get().to(groups::list))
        .route("/groups", web::post().to(groups::create))
        .route("/groups/{id}", web::get().to(groups::show))
        .route("/groups/{id}/do", web::post().to(groups::act))
        .route("/faults", web::get().to(faults::show))
        .route("/faults", web::post().to(faults::set))
        .route("/faults", web::delete().to(faults::clear))
        .route("/table", web::get().to(tables::show))
        .route("/table", web::post().to(tables::lay))
        .route("/table/pace", web::post().to(tables::set_pace))
        .route("/table/next", web::post().to(tables::next))
        .route("/table/end", web::post().to(tables::end))
        .default_service(web::to(error::no_such_path));
    config.service(api).service(
        web::resource(["/", "/playground/{file}"])
            .wrap(from_fn(guard::local_only))
            .route(web::get().to(page::file))
            .route(web::head().to(page::file)),
    );
}
