"""What the name of a column suggests: codes of categories, identifiers, weights, design, time.

A name is split into words at punctuation, digits and capital letters: `ageGroup` has the words age
and group. Names decide only where the values leave a choice: whether the numbers 1 to 4 are steps
or codes, and whether different numbers are measurements or identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Numbers in columns of these names are codes of categories,
_CODES = _words(
    """
    race sex gender region country nationality state county city town province district
    ward precinct
    zip zipcode postcode postal religion relig occupation occ job jobs profession ethnicity ethnic
    eth marital marst married mstatus civil origin birthplace language lang party vote site clinic
    center centre department dept faculty industry sector company firm species breed
    variety cultivar strain rootstock treatment treat trt trtmt arm condition type
    kind category color colour brand model material method mode reason cause diagnosis
    dx icd disease blood bloodtype weekday dow dayofweek season block plot batch
    location loc zone station store shop team league cluster tract segment channel
    device platform browser source operator instructor rater reader judge observer experimenter
    house household village farm litter cage tank ship embarked
    celltype histology histol pathway genotype allele haplotype letter name label
    nationality citizenship residence subtype seller buyer inst institution
    """
)
_WEAK = frozenset(["group", "grp", "family", "school", "hospital", "cond", "target", "status"])
# unless one of these words shows that they are steps.
_STEPS = _words(
    """
    age income educ education grade level lvl score rating rank size freq frequency dose stage year
    yr degree quantile quartile quintile decile tertile severity amount count number num n no time
    hours days weeks height weight bmi satisfaction agree importance class health years economic
    months national
    """
)
_IDENTIFIERS = _words(
    """
    id ids idnum idno idnumber identifier key uuid guid rownames rowname rownum row index idx obs
    observation record recordid rec seqn seq seqno serial case caseid caseno respid respondent resp
    subject subj subjid subjectid sid pid pnum personid person participant patient patientid ptid
    patid member memberid user userid customer customerid cid uid name ssn idp pnr indiv individual
    accession barcode sampleid student child pupil animal
    """
)
# snum, SUBNUM, plotcode, PRODID, Sample Number
_NUMBERED = re.compile(
    r"[a-z]{1,4}(num|nr)|(sub|subj|pat|pt|case|obs|plot|sample|person|pers|school|sch|class|resp|hh|"
    r"house|household|fam|family|prod|product|cust|store|shop|item|unit|site|tree|animal)\W*"
    r"(num|no|nr|number|code|id)",
)
_WEIGHTS = re.compile(
    r"weights|(survey|sample|sampling|person|final|design|post)_?(wt|wgt|weights?)\w*|"
    r"wt(mec|int|sa|dr|ph|ss|re|ex)\w*|pw(eight|gtp\d*|t)|fnlw(gt|t)|finalwg?t|perwt|hhwt|asecwt|"
    r"wtssall|wtssnr|wtss|wtfinl|w(eigh)?t_?(all|final|person|hh|s)|x?_?llcpwt|pspwght|dweight|"
    r"instweight|iw|pw",
)
_DESIGN = re.compile(
    r"sdmvstra|sdmvpsu|psu|strata|stratum|fpc\d*|vstrat|vpsu|sampling_?unit|_?ststr|_?psu|sest|"
    r"secu|estrato|upm|jkrep|jkzone|brr\d+"
)


@cache
def words_of(name: str) -> tuple[str, ...]:
    """Split the name of a column into words in lower case.

    Examples
    --------
    >>> words_of("ageGroup"), words_of("ID_num2"), words_of("SDMVSTRA")
    (('age', 'group'), ('id', 'num'), ('sdmvstra',))
    """
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return tuple(word.lower() for word in re.findall(r"[^\W\d_]+", spaced))


def names_codes(name: str, numbers: Sequence[float] = (), many: bool = False) -> bool:
    """Return whether numbers in a column of this name are probably codes of categories.

    Words such as group and status suggest a few codes from 1 up, if the name has no other word.
    If there are many numbers, the name must have a single word.

    Examples
    --------
    >>> names_codes("race"), names_codes("agecat"), names_codes("ageGroup"), names_codes("Q1")
    (True, False, False, False)
    """
    words = {*words_of(name)}
    if len(words) == 1 and words <= _WEAK:
        return not many and (words <= {"status", "target"} or 0 not in numbers)
    if many:
        return len(words) == 1 and words <= _CODES
    return bool(words & _CODES) and not words & _STEPS


def names_units(name: str) -> bool:
    """Return whether a column of this name has a few identifiers, of products or stores."""
    return bool(_NUMBERED.fullmatch(name.lower())) and name.lower().endswith(("id", "code"))


def names_identifiers(name: str) -> bool:
    """Return whether a column of this name probably identifies its rows.

    Examples
    --------
    >>> names_identifiers("respondent_id"), names_identifiers("idea")
    (True, False)
    """
    words = words_of(name)
    if _NUMBERED.fullmatch(name.lower()):
        return True
    return bool(words) and (words[0] in _IDENTIFIERS or words[-1] in _IDENTIFIERS)


def names_weights(name: str) -> bool:
    """Return whether a column of this name could have the weights of a survey."""
    return _WEIGHTS.fullmatch(name.lower()) is not None


def names_design(name: str) -> bool:
    """Return whether a column of this name has the strata or clusters of a survey.

    Examples
    --------
    >>> names_design("SDMVSTRA"), names_weights("WTMEC2YR"), names_weights("wt")
    (True, True, False)
    """
    if _DESIGN.search(name.lower()) is None:
        return False
    return any(_DESIGN.fullmatch(word) for word in (name.lower(), *words_of(name)))
