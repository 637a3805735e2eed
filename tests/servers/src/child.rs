//! Processes that die with ours.

use std::fs::File;
use std::io;
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Folder, ServerError};

/// The file in a child's folder that takes what it prints.
pub const OUTPUT: &str = "output";

/// Between two looks whether a process has ended.
const PAUSE: Duration = Duration::from_millis(5);

type Order = (Command, Sender<io::Result<process::Child>>);

/// Starts all children. The system kills a child when the *thread* that started it ends, and
/// threads of tests end early; this one ends with the process.
static NURSERY: LazyLock<Sender<Order>> = LazyLock::new(|| {
    let (orders, inbox) = channel::<Order>();
    std::thread::spawn(move || {
        for (mut command, answer) in inbox {
            // Whoever asked is waiting.
            let _ = answer.send(command.spawn());
        }
    });
    orders
});

/// A process of ours. It is killed when this is dropped, and by the system when our process ends
/// in whatever way.
#[derive(Debug)]
pub struct Child {
    process: process::Child,
    pid: Pid,
    command: String,
}

impl Child {
    /// Starts a program in a folder; what it prints goes to [`OUTPUT`] there. It is run through
    /// `setpriv`, which asks the system to kill it with us and becomes the program: one process.
    /// Programs that become others (`env -i …`, scripts that `exec`) stay bound to us.
    pub fn start(program: &str, args: &[String], folder: &Folder) -> Result<Self, ServerError> {
        let text = format!("{program} {}", args.join(" "));
        if !is_installed(program) {
            return Err(ServerError::NotThere {
                program: program.to_owned(),
                why: io::ErrorKind::NotFound.into(),
            });
        }
        let output = File::options()
            .create(true)
            .append(true)
            .open(folder.path().join(OUTPUT))
            .and_then(|out| Ok((out.try_clone()?, out)))
            .map_err(ServerError::io("the file for its output"))?;
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", "--", program])
            .args(args)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(output.0)
            .stderr(output.1);
        let child = spawn(command).map_err(|why| ServerError::NotThere {
            program: program.to_owned(),
            why,
        })?;
        Ok(Self {
            pid: Pid::from_child(&child),
            process: child,
            command: text,
        })
    }

    /// Its command line.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// How it ended, if it has.
    pub fn exited(&mut self) -> Result<Option<ExitStatus>, ServerError> {
        self.process.try_wait().map_err(self.trouble("wait for"))
    }

    /// Kills it at once (`kill -9`) and waits until it is gone.
    pub fn kill(&mut self) -> Result<(), ServerError> {
        // Also when it is stopped: SIGKILL does not wait for SIGCONT.
        self.process.kill().map_err(self.trouble("kill"))?;
        self.process.wait().map_err(self.trouble("wait for"))?;
        Ok(())
    }

    /// Asks it to end (SIGTERM) and waits until it has. `false`: not in time.
    pub async fn terminate(&mut self, within: Duration) -> Result<bool, ServerError> {
        self.signal(Signal::TERM)?;
        let until = Instant::now() + within;
        while self.exited()?.is_none() {
            if Instant::now() >= until {
                return Ok(false);
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(true)
    }

    /// Lets it stand still (SIGSTOP): its connections stay open and nothing is answered.
    pub fn pause(&self) -> Result<(), ServerError> {
        self.signal(Signal::STOP)
    }

    /// Lets it go on after [`pause`](Self::pause).
    pub fn resume(&self) -> Result<(), ServerError> {
        self.signal(Signal::CONT)
    }

    fn signal(&self, signal: Signal) -> Result<(), ServerError> {
        kill_process(self.pid, signal)
            .map_err(io::Error::from)
            .map_err(self.trouble("signal"))
    }

    fn trouble(&self, verb: &str) -> impl FnOnce(io::Error) -> ServerError + use<> {
        ServerError::io(format!("cannot {verb} {}", self.command))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.kill();
    }
}

fn spawn(command: Command) -> io::Result<process::Child> {
    let gone = || io::Error::other("the thread that starts children has ended");
    let (answer, answered) = channel();
    NURSERY.send((command, answer)).map_err(|_| gone())?;
    answered.recv().map_err(|_| gone())?
}

/// Is it a file, or a name found on the path? `setpriv` would only say so in its output.
fn is_installed(program: &str) -> bool {
    if program.contains('/') {
        return std::path::Path::new(program).exists();
    }
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|at| at.join(program).exists()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DEADLINE, wait_for};

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[tokio::test]
    async fn a_child_outlives_the_thread_that_asked_for_it_and_not_its_value() {
        let folder = Folder::new("child").unwrap();
        let args = words(&["600"]);
        let mut child = std::thread::scope(|scope| {
            let started = scope.spawn(|| Child::start("sleep", &args, &folder));
            started.join().unwrap().unwrap()
        });
        let status = format!("/proc/{}/status", child.id());
        let state = || {
            let text = std::fs::read_to_string(&status).ok()?;
            text.lines()
                .find_map(|line| line.strip_prefix("State:\t"))
                .map(|state| state.chars().next().unwrap_or(' '))
        };
        wait_for("the child to sleep", DEADLINE, async || {
            (state() == Some('S')).then_some(())
        })
        .await;
        child.pause().unwrap();
        wait_for("it to stand still", DEADLINE, async || {
            (state() == Some('T')).then_some(())
        })
        .await;
        child.resume().unwrap();
        assert_eq!(child.exited().unwrap(), None);
        assert!(child.terminate(DEADLINE).await.unwrap());
        drop(child);
        assert_eq!(state(), None);
    }

    /// The name of a folder for the other half of the test below.
    const FOLDER: &str = "DUSKGATE_TEST_PARENT_FOLDER";

    #[test]
    #[ignore = "the other half of a_child_dies_with_us, which starts it in a process of its own"]
    fn parent() {
        let Some(folder) = std::env::var_os(FOLDER) else {
            return;
        };
        let ours = Folder::new("parent").unwrap();
        let child = Child::start("sleep", &words(&["600"]), &ours).unwrap();
        let told = std::path::Path::new(&folder).join("child");
        // In one piece: whoever looks must not read half a number.
        std::fs::write(told.with_extension("new"), child.id().to_string()).unwrap();
        std::fs::rename(told.with_extension("new"), told).unwrap();
        drop(ours);
        std::thread::park();
    }

    #[tokio::test]
    async fn a_child_dies_with_us() {
        let folder = Folder::new("child").unwrap();
        let mut parent = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child::tests::parent", "--ignored"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let told = folder.path().join("child");
        let id = wait_for("the child's number", DEADLINE, async || {
            std::fs::read_to_string(&told).ok()
        })
        .await;
        let status = format!("/proc/{id}/stat");
        assert!(std::fs::exists(&status).unwrap());
        parent.kill().unwrap();
        parent.wait().unwrap();
        wait_for("the child to be gone", DEADLINE, async || {
            // Whoever inherits it may take a moment to notice that it is dead (Z).
            let stat = std::fs::read_to_string(&status).unwrap_or_default();
            (stat.is_empty() || stat.contains(") Z")).then_some(())
        })
        .await;
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let folder = Folder::new("child").unwrap();
        let error = Child::start("no-such-program", &[], &folder).unwrap_err();
        assert!(error.to_string().contains("no-such-program"), "{error}");
    }
}
