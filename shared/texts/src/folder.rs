//! An operator's folder of templates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use minijinja::Environment;

use crate::Texts;
use crate::fault::{Fault, FolderError};
use crate::format::{Section, read};
use crate::template;

/// The `.txt` files of a folder, by name.
pub struct Folder(Vec<(String, Vec<u8>)>);

impl Folder {
    /// Reads the files. Those of other endings, and folders within, are none of ours.
    pub fn read(folder: &Path) -> Result<Self, FolderError> {
        text_files(folder).map(Self).map_err(|source| FolderError {
            folder: folder.display().to_string(),
            source,
        })
    }

    /// Those of the templates that can take the place of a built-in one, and what is wrong with
    /// the others.
    pub fn check(self, builtin: &Texts) -> (Environment<'static>, Vec<Fault>) {
        let mut check = Check {
            builtin,
            own: template::environment(),
            seen: BTreeMap::new(),
        };
        let mut faults = Vec::new();
        for (file, bytes) in self.0 {
            let Ok(text) = String::from_utf8(bytes) else {
                let hint = "is not UTF-8: save it again in that encoding".to_owned();
                faults.push(Fault {
                    file,
                    line: 1,
                    hint,
                });
                continue;
            };
            let (sections, wrong) = read(&file, &text);
            faults.extend(wrong);
            let tried = sections.iter().map(|section| check.take(&file, section));
            faults.extend(tried.filter_map(Result::err));
        }
        (check.own, faults)
    }
}

struct Check<'a> {
    builtin: &'a Texts,
    own: Environment<'static>,
    /// Where each template was first given.
    seen: BTreeMap<String, String>,
}

impl Check<'_> {
    fn take(&mut self, file: &str, section: &Section) -> Result<(), Fault> {
        let key = section.key.as_str();
        let at_header = |hint| Fault {
            file: file.to_owned(),
            line: section.line,
            hint,
        };
        if !self.builtin.has(key) {
            return Err(at_header(format!(
                "there is no template {key}; {}",
                self.there_is(key)
            )));
        }
        if let Some(first) = self.seen.get(key) {
            return Err(at_header(format!(
                "{key} is already given at {first}: keep one of them"
            )));
        }
        let here = format!("{file}:{}", section.line);
        self.seen.insert(key.to_owned(), here);
        template::put(&mut self.own, file, section)?;
        let tried = self.try_samples(file, section);
        if tried.is_err() {
            self.own.remove_template(key);
        }
        tried
    }

    fn try_samples(&self, file: &str, section: &Section) -> Result<(), Fault> {
        let key = section.key.as_str();
        for sample in self.builtin.samples(key) {
            let text = template::fill(&self.own, key, &sample).map_err(|error| {
                let strangers = template::strangers(&self.own, key, &sample);
                let mut fault = template::fault(file, section, &error, &strangers);
                if !strangers.is_empty() {
                    fault.hint = format!("{}; there is: {}", fault.hint, self.args(key));
                }
                fault
            })?;
            if text.trim().is_empty() {
                return Err(Fault {
                    file: file.to_owned(),
                    line: section.text_line,
                    hint: format!("{key} says nothing for the sample {sample}"),
                });
            }
        }
        Ok(())
    }

    fn args(&self, key: &str) -> String {
        let args: Vec<&str> = self.builtin.args(key).into_iter().collect();
        if args.is_empty() {
            "nothing".to_owned()
        } else {
            args.join(", ")
        }
    }

    fn there_is(&self, key: &str) -> String {
        let theme = |key: &str| key.split('/').next().unwrap_or_default().to_owned();
        let of_theme: Vec<&str> = self
            .builtin
            .keys()
            .filter(|k| theme(k) == theme(key))
            .collect();
        if of_theme.is_empty() {
            let themes: BTreeSet<String> = self.builtin.keys().map(theme).collect();
            let themes: Vec<String> = themes.into_iter().collect();
            return format!("themes are: {}", themes.join(", "));
        }
        format!("of this theme there are: {}", of_theme.join(", "))
    }
}

fn text_files(folder: &Path) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "txt") && path.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            files.push((name.into_owned(), fs::read(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
