//! One seed gives one run, bytes included.

use std::thread;

use parshall_sim::net::Builder;
use parshall_sim::scenario::Jitter;
use parshall_sim::units::Time;
use parshall_smoltcp::{Options, Transfer};

use crate::common::{link, reno, scenario};

fn digest(seed: u64) -> [u64; 3] {
    let mut link = link();
    link.jitter = Some(Jitter { most: Time::ms(3.0), reorder: true });
    let run = Transfer::endless().with_options(reno()).run(scenario(2.0, link), ["a", "b"], seed);
    run.expect("a run").digest()
}

#[test]
fn twenty_runs_have_one_digest_and_another_seed_has_another() {
    let first = digest(7);
    let threads: Vec<_> = (0..2).map(|_| thread::spawn(|| [(); 9].map(|()| digest(7)))).collect();
    let others: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect();
    assert!([digest(7)].iter().chain(&others).all(|other| *other == first));
    let other = digest(8);
    assert!(first.iter().zip(other).all(|(one, other)| *one != other));
}

#[test]
fn seeds_alone_change_the_bytes_and_nothing_else() {
    // Without anything random in the network, sequence numbers and content are all that seeds decide.
    let [one, other] = [1, 2].map(|seed| {
        let run = Transfer::of(300_000).with_options(reno()).run(scenario(5.0, link()), ["a", "b"], seed);
        run.expect("a run")
    });
    assert_eq!(one.trace(), other.trace());
    assert_ne!(one.digest()[1..], other.digest()[1..]);
}

#[test]
fn a_stack_in_silence_costs_a_run_few_events() {
    // Timers are at most one a microsecond, and only where smoltcp asks for them: 5000 of them in 5 s would be a loop.
    let options = Options { receive_buffer: 4096, ..reno() };
    let mut builder = Builder::new(scenario(5.0, link())).traced();
    let ends = builder.attach("transfer", "a", "b").expect("two hosts");
    let mut network = builder.build().expect("a network");
    let mut pair = Transfer::of(1000).with_options(options).between(ends, 1, Time::ZERO);
    network.run(&mut pair.endpoints()).expect("a run");
    assert!(network.now() < Time::from_secs(1.0), "the connection is closed");
    assert!(network.trace().expect("traced").entries().len() < 40);
}
