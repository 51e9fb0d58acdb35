"""What holds for every estimator: scikit-learn's own checks, and agreement with `learn()`."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from markhood import PLRHC, HillClimbing

MORE_THAN_TWO_VALUES = "feeds columns with more than two values, which are not taken yet"

EXPECTED_FAILURES = dict.fromkeys(
    [
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_estimators_dtypes",
        "check_estimators_fit_returns_self",
        "check_estimators_overwrite_params",
        "check_f_contiguous_array_estimator",
        "check_fit2d_predict1d",
        "check_fit_check_is_fitted",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_positive_only_tag_during_fit",
        "check_readonly_memmap_input",
    ],
    MORE_THAN_TWO_VALUES,
)


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [PLRHC(), HillClimbing()], expected_failed_checks=lambda _: EXPECTED_FAILURES
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
