//! The product as a cluster of processes, each of which can be killed by itself.

use std::path::Path;

use cluster::{Cluster, Plan, Process, Service};
use tokio::runtime::Runtime;

use crate::site::PATIENCE;

/// A running cluster.
pub struct ClusterSite {
    url: String,
    // Before the runtime on which its network works.
    cluster: Cluster,
    runtime: Runtime,
}

impl ClusterSite {
    /// What is to be started: one process a service, with these settings.
    pub fn plan(settings: &[&str]) -> Plan {
        Plan {
            settings: settings.iter().map(|s| (*s).to_owned()).collect(),
            ..Plan::new(Path::new(env!("CARGO_BIN_EXE_duskgate")))
        }
    }

    /// Starts it and waits until all of it is ready.
    #[track_caller]
    pub fn start(plan: Plan) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let cluster = runtime
            .block_on(Cluster::start(plan))
            .unwrap_or_else(|error| panic!("the cluster does not start: {error:#}"));
        Self::of(cluster, runtime)
    }

    /// A cluster that was started on this runtime.
    pub fn of(cluster: Cluster, runtime: Runtime) -> Self {
        Self {
            url: cluster.url(),
            cluster,
            runtime,
        }
    }

    /// Its parts.
    pub fn parts(&mut self) -> &mut Cluster {
        &mut self.cluster
    }

    /// Kills one process of a service and starts it again at once.
    #[track_caller]
    pub fn bounce(&mut self, service: Service, nth: usize) {
        let mut of = self.cluster.of(service);
        let process = of.nth(nth).expect("there is such a process");
        process.kill().expect("a process can be killed");
        process.start().expect("a process can be started");
        if service == Service::Playground {
            // Where people type: nobody can while it is down.
            self.runtime
                .block_on(process.ready(PATIENCE))
                .unwrap_or_else(|error| panic!("{error:#}"));
        }
    }

    /// Kills Redis and starts it again on what it has on disk.
    #[track_caller]
    pub fn bounce_redis(&mut self) {
        self.cluster.redis.kill().expect("Redis can be killed");
        self.runtime
            .block_on(self.cluster.redis.start_again())
            .expect("Redis starts again");
    }

    /// Kills the broker and starts it again on what it has on disk.
    #[track_caller]
    pub fn bounce_broker(&mut self) {
        self.cluster
            .broker
            .kill()
            .expect("the broker can be killed");
        self.runtime
            .block_on(self.cluster.broker.start_again())
            .expect("the broker starts again");
    }

    /// A command to the broker.
    #[track_caller]
    pub fn broker(&self, command: &[&str]) -> String {
        self.runtime
            .block_on(self.cluster.broker.ctl(command))
            .unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    /// Waits until all processes that run are ready.
    #[track_caller]
    pub fn ready(&self) {
        self.runtime
            .block_on(self.cluster.ready(PATIENCE))
            .unwrap_or_else(|error| panic!("{error:#}"));
    }

    /// A command to Redis.
    #[track_caller]
    pub fn redis(&self, command: &[&str]) -> String {
        self.runtime
            .block_on(self.cluster.redis.cli(command))
            .unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    /// Runs something of ours beside it.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub fn kill(&mut self) {
        for process in self.cluster.processes_mut() {
            process.kill().expect("a process can be killed");
        }
    }

    pub fn restart(&mut self) {
        for process in self.cluster.processes_mut() {
            process.start().expect("a process can be started");
        }
        self.ready();
    }

    pub fn stop(&mut self) {
        self.runtime
            .block_on(self.cluster.stop())
            .unwrap_or_else(|error| panic!("{error:#}"));
    }

    pub fn log(&self) -> String {
        let logs = self.cluster.processes().iter().map(Process::log);
        logs.collect()
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where each of its processes answers.
    pub fn urls(&self) -> Vec<String> {
        self.cluster.processes().iter().map(Process::url).collect()
    }
}

impl Drop for ClusterSite {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for process in self.cluster.processes() {
                let log = process.log();
                let lines: Vec<&str> = log.lines().collect();
                let from = lines.len().saturating_sub(25);
                eprintln!("--- {process} ---\n{}", lines[from..].join("\n"));
            }
        }
    }
}
