//! The built-in templates, embedded.

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// Name and text of each file of `templates/`.
        pub const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../templates/", $name)))),*];
    };
}

files! {
    "answer.txt",
    "board.txt",
    "director.txt",
    "groups.txt",
    "help.txt",
    "ingest.txt",
    "lobby.txt",
    "notice.txt",
    "publish.txt",
    "refusal.txt",
    "vote.txt",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
        let mut found: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        assert_eq!(
            found,
            FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>()
        );
    }
}
