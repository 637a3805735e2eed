//! Single templates in an environment: put in, filled, and what is wrong with them in words.

use jiff::tz::TimeZone;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior};
use serde_json::Value;

use crate::fault::Fault;
use crate::format::Section;
use crate::{DEFAULT_ZONE, filters};

/// An environment without templates, as all of ours are set up.
pub fn environment() -> Environment<'static> {
    let mut env = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build();
    env.set_syntax(syntax.expect("only delimiters can be refused, and these are the usual ones"));
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    let zone = TimeZone::get(DEFAULT_ZONE).expect("the zones are compiled in");
    filters::add(&mut env, &zone);
    env
}

/// Adds a section's template, or says what is wrong with its syntax.
pub fn put(env: &mut Environment<'static>, file: &str, section: &Section) -> Result<(), Fault> {
    env.add_template_owned(section.key.clone(), section.text.clone())
        .map_err(|error| fault(file, section, &error, &[]))
}

/// Fills a template.
pub fn fill(env: &Environment<'static>, key: &str, args: &Value) -> Result<String, Error> {
    let text = env.get_template(key)?.render(Serde(args))?;
    Ok(text.trim_end().to_owned())
}

/// The names that a template uses and `args` does not give.
pub fn strangers(env: &Environment<'static>, key: &str, args: &Value) -> Vec<String> {
    let Ok(template) = env.get_template(key) else {
        return Vec::new();
    };
    let given = |name: &str| args.get(name).is_some() || env.globals().any(|(g, _)| g == name);
    let used = template.undeclared_variables(false);
    let mut names: Vec<String> = used.into_iter().filter(|name| !given(name)).collect();
    names.sort();
    names
}

/// An error in a section's template as a fault of its file.
pub fn fault(file: &str, section: &Section, error: &Error, strangers: &[String]) -> Fault {
    let within = error.line().unwrap_or(1).max(1);
    // It was filled with nothing or with a sample: no harm in the details.
    let what = match error.detail() {
        Some(detail) if strangers.is_empty() => format!("{}: {detail}", error.kind()),
        _ => why(error, strangers),
    };
    Fault {
        file: file.to_owned(),
        line: section.text_line + within - 1,
        hint: format!("{}: {what}", section.key),
    }
}

/// What is wrong, without what the template was filled with.
pub fn why(error: &Error, strangers: &[String]) -> String {
    if strangers.is_empty() {
        error.kind().to_string()
    } else {
        format!("{} is not given", strangers.join(", "))
    }
}
