//! The canonical JSON of a scenario, written straight from the Python objects that it is made of.
//!
//! Python itself needs a second for a hundred thousand flows, and with plain tables in between several times the
//! memory of the text. What is written is what `json.dumps` writes, to the last bit: caches are keyed by it.

use std::ops::Range;
use std::rc::Rc;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString, PyTuple, PyType};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// A field of a class: its name, the same as a key of JSON, its default, and whether it is written even then.
type Field = (Py<PyString>, String, Py<PyAny>, bool);

/// The canonical JSON of `model`. `fields` tells of a class which fields it has, in the order in which they are
/// written, or none if it is no model; `other` writes values that are neither text, number, list nor model.
#[pyfunction]
pub fn canonical_json(
    model: &Bound<'_, PyAny>,
    fields: &Bound<'_, PyAny>,
    other: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let mut writer = Writer::new(fields.clone(), other.clone());
    writer.value(model, false)?;
    String::from_utf8(writer.text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// True for a field that is written if it has this value.
fn is_written((_, _, default, always): &Field, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(*always || !(value.is(default) || value.eq(default)?))
}

/// So much text that was read lies in the nearest cache of most machines.
const KEPT_BYTES: usize = 1 << 14;

/// Writes values one after the other.
pub struct Writer<'py> {
    fields: Bound<'py, PyAny>,
    other: Bound<'py, PyAny>,
    /// The fields of each class met so far, by its address.
    classes: FxHashMap<usize, Option<Rc<[Field]>>>,
    /// Where models stand that others may share, such as the transport of many flows, by their address.
    shared: FxHashMap<usize, Range<usize>>,
    text: Vec<u8>,
}

impl<'py> Writer<'py> {
    /// `fields` and `other` are those of [`canonical_json`].
    pub fn new(fields: Bound<'py, PyAny>, other: Bound<'py, PyAny>) -> Self {
        Writer {
            fields,
            other,
            classes: FxHashMap::default(),
            shared: FxHashMap::default(),
            text: Vec::new(),
        }
    }

    /// Reads the text of a value by `read`. The value must stay alive as long as the writer. The text is kept for
    /// a while where it holds what others may share.
    pub fn once<T>(
        &mut self,
        value: &Bound<'py, PyAny>,
        read: impl FnOnce(&[u8]) -> PyResult<T>,
    ) -> PyResult<T> {
        let (start, shared) = (self.text.len(), self.shared.len());
        self.value(value, false)?;
        let result = read(&self.text[start..]);
        if self.text.len() > KEPT_BYTES {
            self.text.clear();
            self.shared.clear();
        } else if self.shared.len() == shared {
            self.text.truncate(start);
        }
        result
    }

    /// True for a part of a scenario: its text depends on its class and its `__dict__` only.
    pub fn is_model(&mut self, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        Ok(self.fields_of(&value.get_type())?.is_some())
    }

    /// True if a field of a part of this class is written where it has this value.
    pub fn writes(
        &mut self,
        class: &Bound<'py, PyType>,
        field: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<bool> {
        let fields = self.fields_of(class)?;
        let known = fields.as_deref().unwrap_or_default().iter().find(|(name, ..)| name.is(field));
        known.map_or(Ok(false), |field| is_written(field, value))
    }

    /// Writes a value. A model that is no item of a list may be shared by others, so where it stands is remembered.
    fn value(&mut self, value: &Bound<'py, PyAny>, may_be_shared: bool) -> PyResult<()> {
        if let Ok(text) = value.cast_exact::<PyString>() {
            return self.text(text.to_str()?);
        }
        // What is no finite number is no JSON; `other` refuses it.
        if let Some(number) = value.cast_exact::<PyFloat>().ok().filter(|number| number.value().is_finite()) {
            return self.number(number);
        }
        if let Ok(items) = value.cast_exact::<PyTuple>() {
            return self.list(items);
        }
        let Some(fields) = self.fields_of(&value.get_type())? else {
            let text = self.other.call1((value,))?;
            self.text.extend_from_slice(text.cast::<PyString>()?.to_str()?.as_bytes());
            return Ok(());
        };
        let address = value.as_ptr() as usize;
        if let Some(range) = self.shared.get(&address) {
            self.text.extend_from_within(range.clone());
            return Ok(());
        }
        let start = self.text.len();
        self.model(value, &fields)?;
        if may_be_shared {
            self.shared.insert(address, start..self.text.len());
        }
        Ok(())
    }

    fn fields_of(&mut self, class: &Bound<'py, PyType>) -> PyResult<Option<Rc<[Field]>>> {
        let address = class.as_ptr() as usize;
        if let Some(known) = self.classes.get(&address) {
            return Ok(known.clone());
        }
        let fields: Option<Vec<Field>> = self.fields.call1((class,))?.extract()?;
        let fields = fields.map(Rc::from);
        self.classes.insert(address, fields.clone());
        Ok(fields)
    }

    fn model(&mut self, model: &Bound<'py, PyAny>, fields: &[Field]) -> PyResult<()> {
        let py = model.py();
        let values = model.getattr(intern!(py, "__dict__"))?;
        let values = values.cast::<PyDict>()?;
        let mut before = b'{';
        for field @ (name, key, default, always) in fields {
            let value = match values.get_item(name)? {
                Some(value) => value,
                // Of what a class gives to all its instances, only the kind is written.
                None if *always => default.bind(py).clone(),
                None => continue,
            };
            if is_written(field, &value)? {
                self.text.push(before);
                self.text.extend_from_slice(key.as_bytes());
                self.value(&value, true)?;
                before = b',';
            }
        }
        self.close(b'{', before, b'}');
        Ok(())
    }

    fn list(&mut self, items: &Bound<'py, PyTuple>) -> PyResult<()> {
        let mut before = b'[';
        for item in items {
            self.text.push(before);
            self.value(&item, false)?;
            before = b',';
        }
        self.close(b'[', before, b']');
        Ok(())
    }

    /// Ends what would have started with `open`, had there been anything in it.
    fn close(&mut self, open: u8, before: u8, end: u8) {
        if before == open {
            self.text.push(open);
        }
        self.text.push(end);
    }

    /// A number as Python writes it: the fewest digits that stand for it. Python takes long to find them, and the
    /// notation is the same where there is no exponent.
    fn number(&mut self, number: &Bound<'py, PyFloat>) -> PyResult<()> {
        if (1e-4..1e16).contains(&number.value().abs()) {
            return self.json(&number.value());
        }
        self.text.extend_from_slice(number.repr()?.to_str()?.as_bytes());
        Ok(())
    }

    fn text(&mut self, text: &str) -> PyResult<()> {
        // Escapes what Python escapes: quotes and backslashes; text has no control characters.
        self.json(text)
    }

    fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> PyResult<()> {
        serde_json::to_writer(&mut self.text, value).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}
