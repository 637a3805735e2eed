//! Settings that are more than a number or a text.

use std::fmt;
use std::path::PathBuf;

use jiff::tz::TimeZone;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Something that must not be printed. Nothing but [`Secret::reveal`] shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps this text secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text. Compare it or send it where it belongs; never format it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// Where a bus or store is. May carry a password, which is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint(String);

impl Endpoint {
    /// An endpoint.
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// All of it, password included. Connect with it; never format it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The part before the first `:`; the whole when there is none.
    pub fn kind(&self) -> &str {
        self.0.split_once(':').map_or(&*self.0, |(kind, _)| kind)
    }

    /// Does it carry a password?
    pub fn has_password(&self) -> bool {
        self.credentials()
            .is_some_and(|(_, who, _)| who.contains(':'))
    }

    /// Scheme, user and password, rest.
    fn credentials(&self) -> Option<(&str, &str, &str)> {
        let (scheme, rest) = self.0.split_once("://")?;
        let authority = rest.split('/').next().unwrap_or(rest);
        let at = authority.rfind('@')?;
        Some((scheme, &rest[..at], &rest[at + 1..]))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.credentials() {
            Some((scheme, _, rest)) => write!(f, "{scheme}://…@{rest}"),
            None => f.write_str(&self.0),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<'de> Deserialize<'de> for Endpoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let url = String::deserialize(deserializer)?;
        if url.is_empty() {
            return Err(D::Error::custom("must not be empty"));
        }
        Ok(Self(url))
    }
}

/// A time zone by its IANA name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone.
    pub fn time_zone(&self) -> &TimeZone {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        TimeZone::get(&name)
            .map(Self)
            .map_err(|_| D::Error::custom("not a known time zone, such as \"Asia/Shanghai\""))
    }
}

/// How much faster than real a calendar runs: above 0, at most a million.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Speed(f64);

impl Speed {
    /// As fast as real.
    pub const REAL: Self = Self(1.0);

    /// The factor.
    pub fn factor(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Speed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let factor = f64::deserialize(deserializer)?;
        if factor > 0.0 && factor <= 1_000_000.0 {
            Ok(Self(factor))
        } else {
            Err(D::Error::custom("must be above 0 and at most 1000000"))
        }
    }
}

/// Where the time comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClockSource {
    /// The machine.
    System,
    /// A playground, by its URL.
    Playground(String),
}

impl<'de> Deserialize<'de> for ClockSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match &*text {
            "system" => Ok(Self::System),
            url if url.starts_with("http://") || url.starts_with("https://") => {
                Ok(Self::Playground(text))
            }
            _ => Err(D::Error::custom(
                "must be \"system\" or a playground's http:// URL",
            )),
        }
    }
}

/// A path; an empty text is none.
pub(super) fn optional_path<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PathBuf>, D::Error> {
    let path = PathBuf::deserialize(deserializer)?;
    Ok((!path.as_os_str().is_empty()).then_some(path))
}

/// A text that must not be printed; an empty one is none.
pub(super) fn optional_secret<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Secret>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok((!text.is_empty()).then(|| Secret::new(text)))
}
