//! All that chat reads: phrases become Chinese here, from templates in one folder.
//!
//! # The format
//!
//! A file of `templates/` holds templates of one subject, as `vote.txt` does:
//!
//! ```text
//! Anything before the first section is a note to whoever edits the file.
//!
//! === vote/taken
//! --- {"voter": "甲", "target": "乙"}
//! --- {"voter": "甲", "target": null}
//! {% if target %}
//! {{ voter }}投给{{ target }}，已记下。
//! {% else %}
//! {{ voter }}弃权，已记下。
//! {% endif %}
//! ```
//!
//! - `=== <name>` begins a template. It ends at the next one; blank lines around it do not count.
//! - `--- <json object>` lines directly below are samples of what it is filled with. They show an
//!   editor what there is, and every template is rendered with each of its samples in tests and
//!   when an operator's folder is read. A template without samples is filled with nothing.
//! - The text is minijinja (<https://docs.rs/minijinja/latest/minijinja/syntax/>). A name that is
//!   not given is an error, never an empty place. A line that holds only a `{% … %}` leaves no
//!   line behind. What people typed comes in as values and is never read as a template.
//! - Filters: see [`filters`](self#filters).
//!
//! # Filters
//!
//! | filter | from | to |
//! | --- | --- | --- |
//! | `seats`, `seats("没有人")` | a list of words | `甲、乙`; of an empty one `无`, or the word given |
//! | `num` | 1.5, 2.0 | `1.5`, `2` |
//! | `cn` | 3 | `三` |
//! | `count` | a list | how many |
//! | `clock` | a [`rules::Time`] | `21:00` |
//! | `when`, `when(now)` | a [`rules::Time`] | `6月3日 21:00`; near `now`: `21:00`, `明天 21:00` |
//! | `span` | milliseconds | `1小时30分钟` |
//!
//! Times are shown in the zone of the [`Texts`]; `clock` and `when` take `zone="Asia/Tokyo"` for
//! another one.
//!
//! # An operator's folder
//!
//! [`Texts::with_folder`] reads files of the same format, with any names ending in `.txt`, whose
//! sections replace single built-in templates; samples need not be repeated. A section that is
//! broken or names nothing known is reported as a [`Fault`] with file, line and a hint, and the
//! built-in template is used in its place: a slip in a word must not keep running games from
//! being taken up again after a restart. The same holds for one that fits all samples and fails on something
//! else later. Whoever starts a service logs the faults; `duskgate
//! check` fails on them. Only a folder that cannot be read at all refuses the start.

mod fault;
mod files;
mod filters;
mod folder;
mod format;
pub mod phrases;
mod render;
mod template;

pub use fault::{Fault, FolderError, TextError};
pub use render::{DEFAULT_ZONE, Texts};

/// The names of all built-in templates, in order.
pub fn keys() -> Vec<&'static str> {
    let mut keys: Vec<_> = files::FILES
        .iter()
        .flat_map(|(_, text)| format::headers(text))
        .collect();
    keys.sort_unstable();
    keys
}
