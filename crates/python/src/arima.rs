//! Bindings of fits and correlations. `parshall.forecast` is their face.

use numpy::{IntoPyArray, PyReadonlyArray1};
use parshall_estimators::arima::{FitError, FitFlags, FitSummary, Fitter, Method, Order, StandardErrors};
use parshall_estimators::correlation;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::estimators::{config_fault, fault, Series, NUMBERS};

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(fit_arima, module)?)?;
    module.add_function(wrap_pyfunction!(correlations, module)?)
}

/// Fit, as Python gets it.
struct Fitted {
    summary: FitSummary,
    errors: Option<StandardErrors>,
    exact_loglik: f64,
    residuals: Vec<f64>,
}

fn fitted(order: Order, xs: &[f64], method: Method) -> PyResult<Fitted> {
    let wrong = |error: FitError| {
        let (value, expected) = error.parts();
        fault(error.place("series"), value, &expected)
    };
    order.check().map_err(config_fault)?;
    let longest = xs.len().max(order.least_samples());
    let mut fitter = Fitter::new(order, longest).map_err(config_fault)?;
    let summary = fitter.fit(xs, method, None).map_err(wrong)?;
    Ok(Fitted {
        summary,
        errors: fitter.standard_errors(&summary),
        exact_loglik: fitter.exact_log_likelihood(&summary),
        residuals: fitter.residuals(&summary),
    })
}

/// Fits an ARIMA; returns what `parshall.forecast.ArimaFit` is made of.
#[pyfunction]
fn fit_arima<'py>(
    py: Python<'py>,
    xs: PyReadonlyArray1<'py, f64>,
    order: (usize, u32, usize),
    css: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let samples = xs.as_slice()?;
    let method = if css { Method::Css } else { Method::Ml };
    let fit = py.detach(|| fitted(Order::new(order.0, order.1, order.2), samples, method))?;
    let summary = &fit.summary;
    let found = PyDict::new(py);
    found.set_item("ar", summary.ar().to_vec())?;
    found.set_item("ma", summary.ma().to_vec())?;
    found.set_item("mean", summary.mean)?;
    found.set_item("ar_errors", fit.errors.map(|errors| errors.ar().to_vec()))?;
    found.set_item("ma_errors", fit.errors.map(|errors| errors.ma().to_vec()))?;
    found.set_item("mean_error", fit.errors.and_then(|errors| errors.mean))?;
    found.set_item("sigma2", summary.sigma2)?;
    found.set_item("loglik", fit.exact_loglik)?;
    found.set_item("aic_of_variance", summary.aic_of_variance())?;
    found.set_item("fpe", summary.fpe())?;
    found.set_item("parameters", summary.order.parameters())?;
    found.set_item("converged", summary.converged)?;
    found.set_item("flags", names(summary.flags))?;
    found.set_item("evaluations", summary.evaluations)?;
    found.set_item("residuals", fit.residuals.into_pyarray(py))?;
    Ok(found)
}

fn names(flags: FitFlags) -> Vec<&'static str> {
    let all = [
        (flags.ar_near_unit_root, "ar-near-unit-root"),
        (flags.ma_near_unit_root, "ma-near-unit-root"),
        (flags.nearly_cancelling, "nearly-cancelling"),
    ];
    all.into_iter().filter(|(raised, _)| *raised).map(|(_, name)| name).collect()
}

/// Autocorrelations, partial autocorrelations, Bartlett's errors, and Ljung and Box's statistics.
type Correlations<'py> = (Series<'py>, Series<'py>, Series<'py>, Series<'py>);

#[pyfunction]
fn correlations<'py>(
    py: Python<'py>,
    xs: PyReadonlyArray1<'py, f64>,
    lags: usize,
) -> PyResult<Correlations<'py>> {
    let samples = xs.as_slice()?;
    NUMBERS.check_all("series", samples)?;
    if samples.len() <= lags {
        let expected = format!("more than the {lags} lags");
        return Err(fault("series", format!("{} samples", samples.len()), &expected));
    }
    let acf = py.detach(|| correlation::autocorrelations(samples, lags));
    let acf = acf.ok_or_else(|| fault("series", "a constant series", "one that varies"))?;
    let partial = correlation::partial_autocorrelations(&acf);
    let errors = correlation::bartlett_errors(&acf, samples.len());
    let ljung_box = correlation::ljung_box(&acf, samples.len());
    Ok((acf.into_pyarray(py), partial.into_pyarray(py), errors.into_pyarray(py), ljung_box.into_pyarray(py)))
}
