//! Which of the known words somebody may have meant.

/// The known word that is nearest to this one; `None` when none is near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    known
        .into_iter()
        .map(|name| (distance(word, name), name))
        .filter(|(distance, name)| {
            let shorter = length.min(name.chars().count());
            *distance < shorter.max(2) && *distance * 2 <= length.max(name.chars().count())
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// A question that names the nearest of the known words, to be put behind a complaint.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

/// How many letters must be changed, added or taken away.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_found_and_a_far_one_is_not() {
        let known = ["survey", "lay", "预言", "守护之盾"];
        assert_eq!(nearest("surveys", known), Some("survey"));
        assert_eq!(nearest("预见", known), Some("预言"));
        assert_eq!(nearest("守卫之盾", known), Some("守护之盾"));
        assert_eq!(nearest("杀人", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(did_you_mean("lays", known), "; did you mean \"lay\"?");
        assert_eq!(did_you_mean("x", known), "");
    }
}
