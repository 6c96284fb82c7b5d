//! Prints the JSON Schema of scenario files.

fn main() {
    println!("{}", parshall_scenario::json_schema());
}
