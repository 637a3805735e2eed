//! A real Chromium, driven through `chromedriver`, as somebody looks at it and clicks.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::site::wait_for;
use crate::wire::runtime;

/// On what the page is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// A window that shows 1280 by 800.
    Desktop,
    /// A phone that is 390 wide and 844 high, touched with a finger.
    Phone,
}

/// A browser with one window, on an empty profile.
pub struct Chrome {
    driver: Child,
    address: String,
    client: Client,
    screen: Screen,
    _profile: TempDir,
}

impl Chrome {
    pub fn open(screen: Screen) -> Self {
        let profile = TempDir::new().expect("a folder for the profile");
        let (driver, address) = start_driver();
        let wanted = capabilities(screen, profile.path());
        let client = runtime().block_on(async {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            builder.capabilities(wanted).connect(&address).await
        });
        Self {
            driver,
            address,
            client: client.expect("chromium opens a window"),
            screen,
            _profile: profile,
        }
    }

    pub fn goto(&self, url: &str) {
        runtime()
            .block_on(self.client.goto(url))
            .expect("the page opens");
    }

    /// Runs a script in the page and gives back what it returns; `None` when it throws.
    pub fn try_run(&self, script: &str) -> Option<Value> {
        runtime()
            .block_on(self.client.execute(script, Vec::new()))
            .ok()
    }

    /// The same for a script that must not throw.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        let ran = runtime().block_on(self.client.execute(script, Vec::new()));
        ran.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits until a script returns something true.
    #[track_caller]
    pub fn until(&self, what: &str, script: &str) {
        wait_for(what, || {
            let found = self.try_run(script)?;
            (!found.is_null() && found != false).then_some(())
        });
    }

    /// Clicks what this finds, as soon as it can be clicked.
    #[track_caller]
    pub fn click(&self, what: Locator<'_>) {
        wait_for(&format!("{what:?} to be clicked"), || {
            let clicked = async { self.client.find(what).await?.click().await };
            runtime().block_on(clicked).ok()
        });
    }

    /// Types into what this finds.
    #[track_caller]
    pub fn type_into(&self, what: Locator<'_>, text: &str) {
        wait_for(&format!("{what:?} to be typed into"), || {
            let typed = async { self.client.find(what).await?.send_keys(text).await };
            runtime().block_on(typed).ok()
        });
    }

    /// The text of the first thing that this finds; empty when there is none.
    pub fn text(&self, what: Locator<'_>) -> String {
        let text = async { self.client.find(what).await?.text().await };
        runtime().block_on(text).unwrap_or_default()
    }

    /// Nothing reaches beyond the right edge of the window.
    #[track_caller]
    pub fn assert_fits(&self) {
        let sizes = self.run(
            "const page = document.documentElement;
            return [page.clientWidth, page.scrollWidth, document.body.scrollWidth]",
        );
        let sideways = format!("{:?} scrolls sideways: {sizes}", self.screen);
        assert_eq!(sizes[0], sizes[1], "{sideways}");
        assert_eq!(sizes[0], sizes[2], "{sideways}");
    }

    /// The console has nothing to complain of.
    #[track_caller]
    pub fn assert_quiet(&self) {
        let session = runtime().block_on(self.client.session_id());
        let session = session.ok().flatten().expect("a session");
        let url = format!("{}/session/{session}/se/log", self.address);
        let mut answer = ureq::post(url)
            .send_json(json!({"type": "browser"}))
            .expect("the driver gives the console's lines");
        let lines: Value = answer.body_mut().read_json().expect("JSON");
        let bad: Vec<&Value> = lines["value"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|line| line["level"] == "SEVERE" || line["level"] == "WARNING")
            .collect();
        assert!(bad.is_empty(), "the console says {bad:#?}");
    }

    /// Takes a picture of the window, for people to look at.
    pub fn picture(&self, name: &str) {
        let taken = runtime().block_on(self.client.screenshot());
        let screen = format!("{:?}", self.screen).to_lowercase();
        let path = pictures().join(format!("{screen}-{name}.png"));
        std::fs::write(path, taken.expect("a picture")).expect("the picture can be kept");
    }
}

impl Drop for Chrome {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Ok(taken) = runtime().block_on(self.client.screenshot())
        {
            // The test has failed anyway: a picture more or less.
            let _ = std::fs::write(pictures().join("failed.png"), taken);
        }
        let _ = runtime().block_on(self.client.clone().close());
        if self.driver.kill().is_ok() {
            let _ = self.driver.wait();
        }
    }
}

/// Where pictures are kept: `target/screenshots`.
fn pictures() -> PathBuf {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = scratch.parent().unwrap_or(scratch).join("screenshots");
    std::fs::create_dir_all(&folder).expect("a folder for pictures");
    folder
}

/// Starts the driver on a free port; where it listens.
fn start_driver() -> (Child, String) {
    const STARTED: &str = "started successfully on port ";
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver starts (tests/setup.sh installs it)");
    let stdout = driver.stdout.take().expect("standard output is piped");
    let port = BufReader::new(stdout)
        .lines()
        .map_while(Result::ok)
        .find_map(|line| {
            let (_, port) = line.split_once(STARTED)?;
            Some(port.trim_end_matches('.').to_owned())
        });
    let port = port.expect("chromedriver says where it listens");
    (driver, format!("http://127.0.0.1:{port}"))
}

fn capabilities(screen: Screen, profile: &Path) -> Map<String, Value> {
    let mut options = json!({
        "args": [
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--window-size=1280,940",
            "--force-prefers-reduced-motion",
            format!("--user-data-dir={}", profile.display()),
        ],
    });
    if screen == Screen::Phone {
        options["mobileEmulation"] = json!({
            "deviceMetrics": {"width": 390, "height": 844, "pixelRatio": 2, "touch": true},
        });
    }
    let wanted = json!({
        "browserName": "chrome",
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL"},
    });
    match wanted {
        Value::Object(wanted) => wanted,
        _ => Map::new(),
    }
}
