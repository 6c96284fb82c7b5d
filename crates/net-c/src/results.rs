//! Results of a network that is finished: tables and captures by name.

use std::ffi::{c_char, c_void};
use std::mem;

use parshall_sim::{LookupError, RunError, ValueType, Values};

use crate::border::{check_place, enter, text, write, Fault, Finished, Net, State};
use crate::layout::{
    PARSHALL_BOOL, PARSHALL_ERROR_LOOKUP, PARSHALL_ERROR_RUN, PARSHALL_F64, PARSHALL_I32, PARSHALL_I64,
    PARSHALL_OK, PARSHALL_U64, PARSHALL_U8,
};

/// Ends the run at the present instant. The recording of what happened before can be read from then on.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_finish(net: *mut Net) -> i32 {
    let work = |net: &mut Net| {
        net.running()?;
        net.held = None;
        let network = match mem::take(&mut net.state) {
            State::Running(network) => network,
            other => return Err(other.unlike("one in operation")),
        };
        let trace_digest = network.trace().map(|trace| trace.digest());
        let recording = network.finish().map_err(run_fault)?;
        net.state = State::Finished(Box::new(Finished { recording, trace_digest }));
        Ok(PARSHALL_OK)
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_finish", work) }
}

/// Returns the index of a flow, which is its row in the table flows; two endpoints are a flow of their name. Negative after an error,
/// and for two endpoints that sent nothing.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_flow(net: *mut Net, name: *const c_char) -> i64 {
    let work = |net: &mut Net| {
        // SAFETY: the caller says that the text is null or ends with a zero.
        let name = unsafe { text("name", name) }?;
        let recording = &net.finished()?.recording;
        index("flow", recording.flow(name), name, recording.flow_names())
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_flow", work) }
}

/// Returns the index of a port, which is its row in the table ports: "a->b" for the direction of a link from a to b, or
/// the name of a link for its forward direction. Negative after an error.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_port(net: *mut Net, name: *const c_char) -> i64 {
    let work = |net: &mut Net| {
        // SAFETY: the caller says that the text is null or ends with a zero.
        let name = unsafe { text("name", name) }?;
        let recording = &net.finished()?.recording;
        index("port", recording.port(name), name, recording.port_names())
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_port", work) }
}

/// Returns the values of a column, and writes their number. Tables are flows and ports, and those that the scenario's record asks
/// for. NULL after an error, and if the column is of another type.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_u64(
    net: *mut Net,
    table: *const c_char,
    column: *const c_char,
    count: *mut usize,
) -> *const u64 {
    // SAFETY: as the caller says of the texts.
    let work = |net: &mut Net| unsafe {
        let (table, column) = (text("table", table)?, text("column", column)?);
        let values = net.finished()?.recording.table(table)?.u64(column)?;
        write("count", count, values.len())?;
        Ok(values.as_ptr())
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_u64", work) }
}

/// Does as parshall_net_u64 for real numbers, of which times are in seconds. NaN stands where there is no value.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_f64(
    net: *mut Net,
    table: *const c_char,
    column: *const c_char,
    count: *mut usize,
) -> *const f64 {
    // SAFETY: as the caller says of the texts and of the place.
    let work = |net: &mut Net| unsafe {
        let (table, column) = (text("table", table)?, text("column", column)?);
        let values = net.finished()?.recording.table(table)?.f64(column)?;
        write("count", count, values.len())?;
        Ok(values.as_ptr())
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_f64", work) }
}

/// Does as parshall_net_u64 for any type, which is written too: PARSHALL_F64 and so on.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_column(
    net: *mut Net,
    table: *const c_char,
    column: *const c_char,
    count: *mut usize,
    value_type: *mut i32,
) -> *const c_void {
    // SAFETY: as the caller says of the texts and of the places.
    let work = |net: &mut Net| unsafe {
        let (table, column) = (text("table", table)?, text("column", column)?);
        check_place("count", count)?;
        let found = net.finished()?.recording.table(table)?.column(column)?;
        write("value_type", value_type, type_code(found.value_type()))?;
        write("count", count, found.len())?;
        let no_memory = |error| Fault { code: PARSHALL_ERROR_RUN, text: format!("{error:?}") };
        Ok(address(found.values().map_err(no_memory)?))
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_column", work) }
}

/// Returns the capture of a port, and writes its length: a file in the format that the scenario asks for, with the bytes that datagrams
/// carried. The scenario's record.pcap names the ports. NULL after an error.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_capture(
    net: *mut Net,
    port: *const c_char,
    length: *mut usize,
) -> *const c_void {
    // SAFETY: as the caller says of the text and of the place.
    let work = |net: &mut Net| unsafe {
        let port = text("port", port)?;
        let recording = &net.finished()?.recording;
        let found = recording.captures().position(|(name, _)| name == port);
        let place = index("capture", found, port, recording.captures().map(|(name, _)| name))?;
        let file = recording.captures().nth(place as usize).map_or(&[][..], |(_, file)| file);
        write("length", length, file.len())?;
        Ok(file.as_ptr().cast::<c_void>())
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_capture", work) }
}

fn run_fault(error: RunError) -> Fault {
    Fault { code: PARSHALL_ERROR_RUN, text: error.to_string() }
}

impl From<LookupError> for Fault {
    fn from(error: LookupError) -> Self {
        Fault { code: PARSHALL_ERROR_LOOKUP, text: error.to_string() }
    }
}

/// The most names that a message lists.
const MOST_LISTED: usize = 8;

fn index<'a>(
    what: &str,
    found: Option<usize>,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Result<i64, Fault> {
    found.map(|index| index as i64).ok_or_else(|| {
        let known: Vec<_> = known.take(MOST_LISTED).collect();
        let text = format!("got {what} {name:?}, expected one of: {}", known.join(", "));
        Fault { code: PARSHALL_ERROR_LOOKUP, text }
    })
}

fn type_code(value_type: ValueType) -> i32 {
    match value_type {
        ValueType::F64 => PARSHALL_F64,
        ValueType::U64 => PARSHALL_U64,
        ValueType::I64 => PARSHALL_I64,
        ValueType::I32 => PARSHALL_I32,
        ValueType::U8 => PARSHALL_U8,
        ValueType::Bool => PARSHALL_BOOL,
    }
}

/// Where values lie. An empty column has an address, too.
fn address(values: &Values) -> *const c_void {
    match values {
        Values::F64(values) => values.as_ptr().cast(),
        Values::U64(values) => values.as_ptr().cast(),
        Values::I64(values) => values.as_ptr().cast(),
        Values::I32(values) => values.as_ptr().cast(),
        Values::U8(values) => values.as_ptr().cast(),
        Values::Bool(values) => values.as_ptr().cast(),
    }
}
