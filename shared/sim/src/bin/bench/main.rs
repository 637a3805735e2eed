//! What the engine can do, beside what it must: `cargo run --release -p sim --bin sim-bench`.
//!
//! One thread, medians of several runs. It prints and judges nothing: the exit code is always 0.

mod games;
mod synthetic;
mod timing;

use timing::Figure;

fn main() {
    let Some(board) = boards::find("m158") else {
        return println!("m158 is not built in");
    };
    println!("engine, {}, one thread", board.id);
    let tapes = games::tapes(&board);
    show(&games::player_acts(&tapes));
    show(&games::all_inputs(&tapes));
    show(&games::whole_games(&tapes));
    show(&games::games_with_their_players(&board));
    show(&games::largest_window(&tapes));
    show(&synthetic::window());
    show(&games::snapshot(&tapes));
    show(&games::snapshot_time(&tapes));
}

fn show(figure: &Figure) {
    println!("{figure}");
}
