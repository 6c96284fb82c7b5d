//! From a scenario to a network in operation.

use std::ffi::{c_char, CString};
use std::mem;
use std::sync::OnceLock;

use parshall_sim::net::{Builder, EndpointId, NetworkError, Protocol};
use parshall_sim::scenario::Scenario;
use parshall_sim::ENGINE_VERSION;

use crate::border::{check_place, enter, text, write, Building, Fault, Net, State};
use crate::layout::{PARSHALL_AS_TCP, PARSHALL_AS_UDP, PARSHALL_NET_VERSION, PARSHALL_OK};

/// Returns PARSHALL_NET_VERSION of the library, to be compared with that of the header.
#[no_mangle]
pub extern "C" fn parshall_net_version() -> u32 {
    PARSHALL_NET_VERSION
}

/// Returns the version of the engine. Libraries with the same one give the same results, to the last bit.
#[no_mangle]
pub extern "C" fn parshall_engine_version() -> *const c_char {
    static VERSION: OnceLock<CString> = OnceLock::new();
    VERSION.get_or_init(|| CString::new(ENGINE_VERSION).unwrap_or_default()).as_ptr()
}

/// Reads a scenario from a file: TOML, or JSON if its name ends in .json. Files that it names are looked for beside it. It takes the
/// place of a scenario that was read before and not built.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_load(net: *mut Net, path: *const c_char) -> i32 {
    let work = |net: &mut Net| {
        // SAFETY: the caller says that the text is null or ends with a zero.
        let path = unsafe { text("path", path) }?;
        net.load(|| Ok(Builder::load(path)?))
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_load", work) }
}

/// Reads a scenario from a text in TOML. Files that it names are looked for in the working directory.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_load_text(net: *mut Net, toml: *const c_char) -> i32 {
    let work = |net: &mut Net| {
        // SAFETY: the caller says that the text is null or ends with a zero.
        let toml = unsafe { text("toml", toml) }?;
        net.load(|| match Scenario::from_toml(toml) {
            Ok(scenario) => Ok(Builder::new(scenario)),
            Err(faults) => Err(NetworkError::Scenario(faults.to_string()).into()),
        })
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_load_text", work) }
}

/// Sets the seed of all random numbers. At first it is 1.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_set_seed(net: *mut Net, seed: u64) -> i32 {
    let work = |net: &mut Net| net.change(|builder| builder.seed(seed));
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_set_seed", work) }
}

/// Sets the MTU of the endpoints' own links, in bytes: to send a larger datagram is an error. At first it is 65535.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_set_mtu(net: *mut Net, bytes: u32) -> i32 {
    let work = |net: &mut Net| {
        let bytes = mtu(bytes)?;
        net.change(|builder| builder.mtu(bytes))
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_set_mtu", work) }
}

/// Keeps a trace of all that endpoints send and receive, for parshall_net_trace_digest.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_set_traced(net: *mut Net) -> i32 {
    let work = |net: &mut Net| net.change(Builder::traced);
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_set_traced", work) }
}

/// Attaches two endpoints, at two hosts, that send datagrams to each other, as a new flow of this name. A node at the end of a single
/// link becomes a host if it is none. The numbers of the endpoints go into an array of two, that of the source first.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_attach(
    net: *mut Net,
    name: *const c_char,
    source: *const c_char,
    destination: *const c_char,
    endpoints: *mut [u32; 2],
) -> i32 {
    let work = |net: &mut Net| {
        // SAFETY: the caller says that the texts are null or end with a zero.
        let [name, source, destination] =
            unsafe { [text("name", name)?, text("source", source)?, text("destination", destination)?] };
        // SAFETY: the caller says that the array is null or has two places.
        unsafe { net.add(endpoints, |builder| builder.attach(name, source, destination)) }
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_attach", work) }
}

/// Puts two endpoints in the place of a flow of the scenario, at its source and its destination. The rest is as with
/// parshall_net_attach.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_replace(
    net: *mut Net,
    flow: *const c_char,
    endpoints: *mut [u32; 2],
) -> i32 {
    let work = |net: &mut Net| {
        // SAFETY: the caller says that the text is null or ends with a zero.
        let flow = unsafe { text("flow", flow) }?;
        // SAFETY: the caller says that the array is null or has two places.
        unsafe { net.add(endpoints, |builder| builder.replace(flow)) }
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_replace", work) }
}

/// Sets the path MTU between an endpoint and the other one of its pair, in bytes: larger datagrams vanish on the way. At first there
/// is none.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_set_path_mtu(net: *mut Net, endpoint: u32, bytes: u32) -> i32 {
    let work = |net: &mut Net| {
        let bytes = mtu(bytes)?;
        let building = net.building()?;
        building.builder.set_path_mtu(building.known(endpoint)?, bytes);
        Ok(PARSHALL_OK)
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_set_path_mtu", work) }
}

/// Sets what the datagrams of an endpoint and the other one of its pair count as where estimators and series tell TCP from
/// UDP: PARSHALL_AS_UDP, which it is at first, or PARSHALL_AS_TCP.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_set_protocol(net: *mut Net, endpoint: u32, protocol: i32) -> i32 {
    let work = |net: &mut Net| {
        let protocol = match protocol {
            PARSHALL_AS_UDP => Protocol::Udp,
            PARSHALL_AS_TCP => Protocol::Tcp,
            other => return Err(Fault::argument(format!("protocol: got {other}, expected 0 or 1"))),
        };
        let building = net.building()?;
        building.builder.set_protocol(building.known(endpoint)?, protocol);
        Ok(PARSHALL_OK)
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_set_protocol", work) }
}

/// Makes the network, at rest, at instant 0. After an error it has no scenario.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_build(net: *mut Net) -> i32 {
    let work = |net: &mut Net| {
        let network = net.take_building()?.builder.build()?;
        net.state = State::Running(Box::new(network));
        Ok(PARSHALL_OK)
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_build", work) }
}

fn mtu(bytes: u32) -> Result<u16, Fault> {
    let valid = u16::try_from(bytes).ok().filter(|&bytes| bytes > 0);
    valid.ok_or_else(|| Fault::argument(format!("bytes: got {bytes}, expected 1 to 65535")))
}

impl Building {
    fn known(&self, endpoint: u32) -> Result<EndpointId, Fault> {
        if endpoint < self.endpoints {
            return Ok(EndpointId::from_number(endpoint));
        }
        Err(Fault::argument(format!("endpoint: got {endpoint}, expected one of {}", self.endpoints)))
    }
}

impl Net {
    fn load(&mut self, read: impl FnOnce() -> Result<Builder, Fault>) -> Result<i32, Fault> {
        if matches!(self.state, State::Running(_) | State::Finished(_)) {
            return Err(self.state.unlike("one that is not built"));
        }
        let building = Building { builder: read()?, endpoints: 0 };
        self.state = State::Building(Box::new(building));
        Ok(PARSHALL_OK)
    }

    fn take_building(&mut self) -> Result<Box<Building>, Fault> {
        self.building()?;
        match mem::take(&mut self.state) {
            State::Building(building) => Ok(building),
            other => Err(other.unlike("one that is loaded and not built")),
        }
    }

    fn change(&mut self, change: impl FnOnce(Builder) -> Builder) -> Result<i32, Fault> {
        let mut building = self.take_building()?;
        building.builder = change(building.builder);
        self.state = State::Building(building);
        Ok(PARSHALL_OK)
    }

    /// Adds two endpoints.
    ///
    /// # Safety
    /// The place is null or valid.
    unsafe fn add(
        &mut self,
        place: *mut [u32; 2],
        add: impl FnOnce(&mut Builder) -> Result<[EndpointId; 2], NetworkError>,
    ) -> Result<i32, Fault> {
        check_place("endpoints", place)?;
        let building = self.building()?;
        let endpoints = add(&mut building.builder)?;
        building.endpoints += 2;
        // SAFETY: as the caller says of the place.
        unsafe { write("endpoints", place, endpoints.map(EndpointId::number)) }?;
        Ok(PARSHALL_OK)
    }
}
