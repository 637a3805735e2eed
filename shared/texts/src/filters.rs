//! Filters that turn values into Chinese: lists of seats, numbers, times.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind};

/// Gives an environment all filters; times are shown in `zone`.
pub fn add(env: &mut Environment<'static>, zone: &TimeZone) {
    env.add_filter("seats", seats);
    env.add_filter("num", num);
    env.add_filter("cn", cn);
    env.add_filter("span", span);
    let home = zone.clone();
    env.add_filter("clock", move |ms: i64, kwargs: Kwargs| {
        clock(ms, &zone_of(&kwargs, &home)?)
    });
    let home = zone.clone();
    env.add_filter("when", move |ms: i64, now: Option<i64>, kwargs: Kwargs| {
        when(ms, now, &zone_of(&kwargs, &home)?)
    });
}

fn zone_of(kwargs: &Kwargs, home: &TimeZone) -> Result<TimeZone, Error> {
    let name: Option<String> = kwargs.get("zone")?;
    kwargs.assert_all_used()?;
    name.map_or_else(
        || Ok(home.clone()),
        |name| TimeZone::get(&name).map_err(|_| bad(format!("no time zone is named {name:?}"))),
    )
}

fn bad(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, why.into())
}

fn seats(list: &Value, nobody: Option<String>) -> Result<String, Error> {
    if matches!(list.kind(), ValueKind::String | ValueKind::Map) {
        return Err(bad("seats needs a list"));
    }
    let words: Vec<String> = list.try_iter()?.map(|word| word.to_string()).collect();
    Ok(if words.is_empty() {
        nobody.unwrap_or_else(|| "无".to_owned())
    } else {
        words.join("、")
    })
}

/// `f64` prints the shortest text that reads back the same: `1.5`, `2`.
fn num(number: f64) -> String {
    number.to_string()
}

fn cn(number: u32) -> Result<String, Error> {
    const DIGITS: [&str; 10] = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let digit = |n: u32| DIGITS[n as usize % 10];
    Ok(match number {
        0..=9 => digit(number).to_owned(),
        10..=99 => {
            let tens = if number < 20 { "" } else { digit(number / 10) };
            let ones = if number.is_multiple_of(10) {
                ""
            } else {
                digit(number)
            };
            format!("{tens}十{ones}")
        }
        _ => return Err(bad("cn counts to 99")),
    })
}

fn span(ms: i64) -> Result<String, Error> {
    let secs = u64::try_from(ms).map_err(|_| bad("a span is not negative"))? / 1000;
    let parts = [
        (secs / 86_400, "天"),
        (secs / 3600 % 24, "小时"),
        (secs / 60 % 60, "分钟"),
        (secs % 60, "秒"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, unit)| format!("{n}{unit}"))
        .collect();
    Ok(if parts.is_empty() {
        "0秒".to_owned()
    } else {
        parts.concat()
    })
}

fn local(ms: i64, zone: &TimeZone) -> Result<DateTime, Error> {
    let instant = Timestamp::from_millisecond(ms).map_err(|_| bad("no instant of the calendar"))?;
    Ok(zone.to_datetime(instant))
}

fn hour_minute(at: DateTime) -> String {
    format!("{:02}:{:02}", at.hour(), at.minute())
}

fn clock(ms: i64, zone: &TimeZone) -> Result<String, Error> {
    Ok(hour_minute(local(ms, zone)?))
}

fn when(ms: i64, now: Option<i64>, zone: &TimeZone) -> Result<String, Error> {
    let at = local(ms, zone)?;
    let time = hour_minute(at);
    let days = match now {
        Some(now) => {
            let today = local(now, zone)?.date();
            let away = today
                .until(at.date())
                .map_err(|_| bad("too far from now"))?;
            Some((away.get_days(), today.year() == at.year()))
        }
        None => None,
    };
    Ok(match days {
        Some((0, _)) => time,
        Some((1, _)) => format!("明天 {time}"),
        Some((2, _)) => format!("后天 {time}"),
        Some((-1, _)) => format!("昨天 {time}"),
        Some((_, false)) => format!("{}年{}月{}日 {time}", at.year(), at.month(), at.day()),
        Some((_, true)) | None => format!("{}月{}日 {time}", at.month(), at.day()),
    })
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    use super::*;

    fn env() -> Environment<'static> {
        let mut env = Environment::new();
        add(&mut env, &TimeZone::get("Asia/Shanghai").unwrap());
        env
    }

    #[test]
    fn values_become_words() {
        // 2026-06-03 21:00 in Shanghai.
        let at: i64 = 1_780_491_600_000;
        let hour: i64 = 3_600_000;
        let context = context! {
            two => ["甲", "乙"], none => Vec::<String>::new(), at, hour,
            before => at - hour, eve => at - 22 * hour, two_days => at - 46 * hour,
            long_before => at - 100 * hour, next_day => at + 4 * hour, next_year => at + 9000 * hour,
        };
        let cases = [
            ("{{ two|seats }}", "甲、乙"),
            ("{{ none|seats }}", "无"),
            ("{{ none|seats('没有人') }}", "没有人"),
            ("{{ two|count }}", "2"),
            ("{{ 1.5|num }} {{ 2.0|num }} {{ 3|num }}", "1.5 2 3"),
            ("{{ 0|cn }}{{ 7|cn }}{{ 10|cn }}", "零七十"),
            ("{{ 12|cn }} {{ 20|cn }} {{ 21|cn }}", "十二 二十 二十一"),
            ("{{ 5400000|span }} {{ 0|span }}", "1小时30分钟 0秒"),
            ("{{ 90000000|span }} {{ 1500|span }}", "1天1小时 1秒"),
            ("{{ at|clock }}", "21:00"),
            ("{{ at|clock(zone='Asia/Tokyo') }}", "22:00"),
            ("{{ at|when }}", "6月3日 21:00"),
            ("{{ at|when(before) }}", "21:00"),
            ("{{ at|when(eve) }}", "明天 21:00"),
            ("{{ at|when(two_days) }}", "后天 21:00"),
            ("{{ at|when(long_before) }}", "6月3日 21:00"),
            ("{{ at|when(next_day) }}", "昨天 21:00"),
            ("{{ at|when(next_year) }}", "2026年6月3日 21:00"),
            ("{{ at|when(eve, zone='UTC') }}", "明天 13:00"),
        ];
        for (template, text) in cases {
            assert_eq!(
                env().render_str(template, &context).unwrap(),
                text,
                "{template}"
            );
        }
    }

    #[test]
    fn values_that_do_not_fit_are_errors() {
        for template in [
            "{{ '甲'|seats }}",
            "{{ 3|seats }}",
            "{{ -1|span }}",
            "{{ 100|cn }}",
            "{{ 'x'|clock }}",
            "{{ 0|clock(zone='Nowhere/At_All') }}",
            "{{ 0|clock(Zone='UTC') }}",
        ] {
            assert!(env().render_str(template, ()).is_err(), "{template}");
        }
    }
}
