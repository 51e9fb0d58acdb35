"""Ordered scales in the texts of columns, and what the names of columns suggest."""

import pytest

from markhood.data.lexicon import names_codes, names_design, names_identifiers, names_weights
from markhood.data.scales import recognised_scale


@pytest.mark.parametrize(
    "scale",
    [
        "Strongly disagree|Disagree|Neither agree nor disagree|Agree|Strongly agree",
        "strongly disagree|somewhat disagree|somewhat agree|strongly agree",
        "Very dissatisfied|Dissatisfied|Neutral|Satisfied|Very satisfied",
        "not at all important|somewhat important|very important",
        "never|rarely|sometimes|often|always",
        "Never|Occas|Regul|Heavy",
        "not at all|several days|more than half the days|nearly every day",
        "low|medium|high",
        "poor|fair|good|very good|excellent",
        "none|mild|moderate|severe",
        "less than high school|high school|some college|bachelor|graduate",
        "18-29|30-44|45-59|60+",
        "under 18|18 to 64|65 or older",
        "(0,19]|(19,60]|(60,100]",
        "<12 yrs|12 yrs|>12 yrs",
        "$0-9,999|$10,000-49,999|$50,000+",
        "G1|G2|G3|G10",
        "stage I|stage II|stage III|stage IV",
        "1 - low|2 - mid|3 - high",
        "5 mg|10 mg|50 mg",
        "<1/month|1-4/month|>1/week",
        "none|1 a week|2-3 times a week|1 per day",
        "0-39g/day|40-79|80-119|120+",
        "Non-Travel|Travel_Rarely|Travel_Frequently",
        "low risk|medium risk|high risk",
    ],
)
def test_example_scales(scale):
    levels = scale.split("|")
    assert recognised_scale(sorted(levels)) == tuple(levels)
    assert recognised_scale(levels[::-1]) == tuple(levels)


@pytest.mark.parametrize(
    "texts",
    [
        "red|green|blue",
        "Jan|Feb|Mar|Apr",
        "Monday|Tuesday|Wednesday",
        "plot 1|plot 2|plot 3",
        "site1|site2|site3",
        "1st|2nd|3rd|Crew",
        "never|sometimes|blue",
        "group one|group two|group three",
        "2/week|3/month|red",
        "low|high",
        "2001-01-02|2001-01-03|2001-01-04",
    ],
)
def test_example_texts_without_an_order(texts):
    assert recognised_scale(texts.split("|")) is None


def test_example_names():
    assert all(map(names_codes, ["race", "Region", "marital_status", "blood.type"]))
    assert not any(map(names_codes, ["age", "agecat", "ageGroup", "Q1", "income_group"]))
    assert all(map(names_identifiers, ["id", "respondentID", "SUBNUM", "Sample Number"]))
    assert not any(map(names_identifiers, ["idea", "width", "numbers"]))
    assert names_weights("WTMEC2YR")
    assert not names_weights("wt")
    assert names_design("SDMVSTRA")
