//! The product, running: in one process, or as a cluster of processes.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cluster_site::ClusterSite;
use crate::embedded::Embedded;

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(45);

/// A last look after that, so that whoever waits can say what there was instead.
const GRACE: Duration = Duration::from_millis(500);

/// Looks again and again until it finds something.
///
/// # Panics
/// When it does not within [`PATIENCE`], with what was waited for.
#[track_caller]
pub fn wait_for<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_as_long_as(PATIENCE + GRACE, what, look)
}

/// The same for something that takes longer.
#[track_caller]
pub fn wait_as_long_as<T>(
    patience: Duration,
    what: &str,
    mut look: impl FnMut() -> Option<T>,
) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < patience, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(15));
    }
}

/// A running product.
pub struct Site {
    kind: Kind,
    http: ureq::Agent,
}

enum Kind {
    Embedded(Embedded),
    Cluster(Box<ClusterSite>),
}

impl Site {
    /// Starts one process on a fresh folder with these settings (`clock.speed=60`).
    pub fn start(settings: &[&str]) -> Self {
        Self::start_with(settings, &[])
    }

    /// The same with environment variables.
    pub fn start_with(settings: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::of(Kind::Embedded(Embedded::start(settings, variables)))
    }

    /// A cluster.
    pub fn on(cluster: ClusterSite) -> Self {
        Self::of(Kind::Cluster(Box::new(cluster)))
    }

    fn of(kind: Kind) -> Self {
        let http = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .build()
            .into();
        Self { kind, http }
    }

    /// The cluster that it is.
    #[track_caller]
    pub fn cluster(&mut self) -> &mut ClusterSite {
        match &mut self.kind {
            Kind::Cluster(cluster) => cluster,
            Kind::Embedded(_) => panic!("it is one process"),
        }
    }

    /// `kill -9`, wherever it stands; of a cluster all services at once.
    pub fn kill(&mut self) {
        match &mut self.kind {
            Kind::Embedded(embedded) => embedded.kill(),
            Kind::Cluster(cluster) => cluster.kill(),
        }
    }

    /// Starts it again with what it has stored.
    pub fn restart(&mut self) {
        match &mut self.kind {
            Kind::Embedded(embedded) => embedded.restart(),
            Kind::Cluster(cluster) => cluster.restart(),
        }
    }

    /// Asks it to stop, and waits for that.
    pub fn stop(&mut self) {
        match &mut self.kind {
            Kind::Embedded(embedded) => embedded.stop(),
            Kind::Cluster(cluster) => cluster.stop(),
        }
    }

    /// What it has logged since its first start.
    pub fn log(&self) -> String {
        match &self.kind {
            Kind::Embedded(embedded) => embedded.log(),
            Kind::Cluster(cluster) => cluster.log(),
        }
    }

    /// The sum of a metric over its labels that contain this, over all processes; 0 when there
    /// is none.
    pub fn metric(&self, name: &str, label: &str) -> f64 {
        let pages = self.pages("/metrics");
        let lines = pages.iter().flat_map(|(_, shown)| shown.lines());
        lines
            .filter_map(|line| line.strip_prefix(name))
            .filter(|rest| rest.starts_with(['{', ' ']) && rest.contains(label))
            .filter_map(|rest| rest.rsplit(' ').next()?.parse::<f64>().ok())
            .sum()
    }

    /// It is ready, has given up on no message, and has nothing to complain of in itself.
    #[track_caller]
    pub fn assert_well(&self) {
        self.assert_sound();
        let log = self.log();
        let bad = log.lines().find(|line| line.contains("ERROR"));
        assert!(bad.is_none(), "the log says {bad:?}");
    }

    /// The same when broker or store were away meanwhile: it may have complained of that.
    #[track_caller]
    pub fn assert_sound(&self) {
        wait_for("all of it to be ready", || {
            let pages = self.pages("/readyz");
            pages.iter().all(|(status, _)| *status == 200).then_some(())
        });
        let dead = self.metric("duskgate_dead_letters_total", "");
        assert!(dead == 0.0, "{dead} messages were given up");
        let log = self.log();
        let bad = log.lines().find(|line| line.contains("panicked"));
        assert!(bad.is_none(), "the log says {bad:?}");
    }

    /// A page of every process, with its status; 0 of one that does not answer.
    pub fn pages(&self, path: &str) -> Vec<(u16, String)> {
        let urls = match &self.kind {
            Kind::Embedded(embedded) => vec![embedded.url().to_owned()],
            Kind::Cluster(cluster) => cluster.urls(),
        };
        urls.iter()
            .map(|url| {
                let answer = self.http.get(format!("{url}{path}")).call();
                let read = |mut answer: ureq::http::Response<ureq::Body>| {
                    let status = answer.status().as_u16();
                    let body = answer.body_mut().read_to_string().ok()?;
                    Some((status, body))
                };
                answer.ok().and_then(read).unwrap_or_default()
            })
            .collect()
    }

    /// Where people and chat sides find it.
    pub fn url(&self) -> &str {
        match &self.kind {
            Kind::Embedded(embedded) => embedded.url(),
            Kind::Cluster(cluster) => cluster.url(),
        }
    }

    /// `GET`: status and JSON. While the site is down: `None`.
    pub fn try_get(&self, path: &str) -> Option<(u16, Value)> {
        let mut answer = self.http.get(format!("{}{path}", self.url())).call().ok()?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().read_to_string().ok()?;
        Some((
            status,
            serde_json::from_str(&body).unwrap_or(Value::String(body)),
        ))
    }

    /// `GET` that must succeed.
    #[track_caller]
    pub fn get(&self, path: &str) -> Value {
        let (status, body) = self
            .try_get(path)
            .unwrap_or_else(|| panic!("no answer to {path}"));
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// `POST`: status and JSON. While the site is down: `None`.
    pub fn try_post(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        let request = self.http.post(format!("{}{path}", self.url()));
        let mut answer = request.send_json(body).ok()?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().read_to_string().ok()?;
        Some((
            status,
            serde_json::from_str(&body).unwrap_or(Value::String(body)),
        ))
    }

    /// `POST` that must succeed.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self
            .try_post(path, body)
            .unwrap_or_else(|| panic!("no answer to {path}"));
        assert_eq!(status, 200, "{path} {body}: {answer}");
        answer
    }
}
