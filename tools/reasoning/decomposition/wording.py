"""Wording of subgoals: pieces of work that differ from the question and from each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import StrictModel
from aurora.tools.text import list_terms, normalize_name, stem_word, tokenize_text

from .grammar import is_covered
from .model import DecompositionFault
from .places import is_slashed_word, list_mentions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import FaultCode, Subgoal
    from .question import CommonWords, Question


class WordingParams(StrictModel):
    """Settings of the comparison of subgoals; see the comments in the workflow."""

    question_share: float = Field(gt=0, le=1)
    question_terms: int = Field(ge=1)
    clause_share: float = Field(default=0.6, gt=0, le=1)
    undivided_share: float = Field(default=0.75, gt=0, le=1)
    new_words: int = Field(ge=0)
    topic: float = Field(default=0, ge=0, le=1)
    same_share: float = Field(gt=0, le=1)
    near_share: float = Field(gt=0, le=1)
    sentence_terms: int = Field(ge=1)
    fillers: tuple[str, ...]
    generic: tuple[str, ...] = ()
    articles: tuple[str, ...]
    prepositions: tuple[str, ...]
    auxiliaries: tuple[str, ...]
    questions: tuple[str, ...]
    conjunctions: tuple[str, ...]
    pronouns: tuple[str, ...]
    known_from: float = Field(default=0, ge=0, le=1)


_MAX_DISTANCE = 2
"""Positions between two terms of the question that still count as near."""
_FILE = re.compile(r"[\w-]+\.[a-z]{1,5}")
"""Name of a file without its folder."""
_MIN_UNDIVIDED = 3
"""Clauses of a question that a subgoal is about, at least, if it does not divide the question."""
_WORDS_PER_NEW = 10
"""Words of a long description of which one may be new, if it repeats the question."""
_COPIED_SHARE = 0.9
"""Share of neighbouring terms that are near each other in the question too, from which a description is a copy."""
_MIN_PARTS = 3
"""Parts of a question, circumstances included, of which a copied one is a part."""
_BEGINNING = 4
"""Words that begin a sentence."""
_MIN_DISORDER = 6
"""Terms of a description whose order tells something."""
_END = ""
_FORBIDDEN = frozenset(
    {
        ("article", "article"),
        ("article", "preposition"),
        ("article", "conjunction"),
        ("article", "auxiliary"),
        ("article", "question"),
        ("article", "pronoun"),
        ("article", _END),
        ("preposition", "auxiliary"),
        ("conjunction", _END),
        ("question", "question"),
        (_END, "conjunction"),
    }
)
"""Kinds of words that do not follow each other in an English sentence; `_END` is its beginning or its end."""


@dataclass(frozen=True, slots=True)
class _Worded:
    """Subgoal with the terms of its description.

    Attributes:
        order: terms in order, without ignored words.
        new: terms that neither the question nor the fillers contain.
        has_new_place: whether it mentions a path or an identifier that the question does not.
    """

    subgoal: Subgoal
    order: tuple[str, ...]
    new: frozenset[str]
    has_new_place: bool


def find_wording_faults(
    question: Question, subgoals: Sequence[Subgoal], words: CommonWords, rule: WordingParams
) -> list[DecompositionFault]:
    """Find subgoals that repeat the question or another subgoal, or that are no sentence of work."""
    fillers = frozenset(stem_word(word) for word in (*rule.fillers, *words.verbs))
    worded = [_read_wording(one, question, words.ignore, fillers) for one in subgoals]
    return [
        *_find_repeated(worded, question, fillers, rule),
        *_find_repeated_subgoals(worded, fillers, rule),
        *_find_unclear(worded, question, words.verbs, rule),
    ]


def _read_wording(subgoal: Subgoal, question: Question, ignore: frozenset[str], fillers: frozenset[str]) -> _Worded:
    order = list_terms(subgoal.description, ignore)
    known = question.vocabulary | fillers
    new = frozenset(term for term in order if not is_covered(term, known))
    mentions = [place for place in list_mentions(subgoal.description) if not is_slashed_word(place)]
    places = {normalize_name(place) for place in mentions}
    has_new_place = any(place not in question.vocabulary and place not in question.text for place in places)
    return _Worded(subgoal, order, new, has_new_place)


def _find_repeated(
    worded: Sequence[_Worded], question: Question, fillers: frozenset[str], rule: WordingParams
) -> list[DecompositionFault]:
    """Find subgoals that repeat the question, or a clause of it; fatal when they are half of all."""
    whole = [one for one in worded if _is_question(one, question, fillers, rule)]
    if len(worded) > 1:
        whole += [one for one in worded if one not in whole and _says_all(one, question, fillers)]
    halves = [one for one in worded if _says_much(one, question, fillers, rule)]
    if 2 * len(halves) >= len(worded) and len(halves) > 1:
        whole = [one for one in worded if one in whole or one in halves]
    clauses = _list_clauses(question)
    parts = [one for one in worded if one not in whole and _is_clause(one, question, clauses, fillers, rule)]
    fatal = 2 * len([*whole, *parts]) >= len(worded)
    remedy = "repeats the question: say which one piece of it this subgoal reads or changes, and where"
    part_remedy = (
        "repeats a part of the query: say in your own words what it reads or changes to answer that, "
        "or name the symbol in where"
    )
    return [
        *(_make_fault("repeats_question", one, remedy, fatal=fatal) for one in whole),
        *(_make_fault("repeats_question", one, part_remedy, fatal=fatal) for one in parts),
    ]


def _list_clauses(question: Question) -> list[frozenset[str]]:
    """List the terms of each clause and part of a question; none when the only clause is the question."""
    if len(question.clauses) < 2 and len(question.parts) < _MIN_PARTS:  # noqa: PLR2004 - see above
        return []
    return [frozenset(list_terms(part.text)) for part in (*question.clauses, *question.pieces)]


def _is_undivided(one: _Worded, question: Question, rule: WordingParams) -> bool:
    """Return whether a subgoal is about nearly every clause of a question that has several."""
    said = frozenset(one.order)
    own = [(*part.terms.words, *part.terms.names) for part in question.clauses]
    touched = sum(any(is_covered(term, said) for term in terms) for terms in own)
    return touched >= max(_MIN_UNDIVIDED, rule.undivided_share * len(question.clauses))


def _is_question(one: _Worded, question: Question, fillers: frozenset[str], rule: WordingParams) -> bool:
    """Return whether a subgoal says most of the question, or of what it asks, and little else."""
    if len(one.new) > max(rule.new_words, len(one.order) // _WORDS_PER_NEW) or one.has_new_place:
        return False
    wholes = [frozenset(question.order)]
    if len(question.asked - fillers) >= rule.question_terms:
        wholes.append(question.asked)
    return _is_undivided(one, question, rule) or any(
        len(whole) >= rule.question_terms and len(whole.intersection(one.order)) >= rule.question_share * len(whole)
        for whole in wholes
    )


def _says_all(one: _Worded, question: Question, fillers: frozenset[str]) -> bool:
    """Return whether one of several subgoals says all that a short question asks, and nothing else."""
    asked = question.asked - fillers
    has_own = bool(one.new) or one.has_new_place or bool(one.subgoal.where)
    return not has_own and len(asked) > 1 and asked <= frozenset(one.order)


def _says_much(one: _Worded, question: Question, fillers: frozenset[str], rule: WordingParams) -> bool:
    """Return whether a subgoal says much of what a question asks, and little else."""
    if len(one.new) > max(rule.new_words, len(one.order) // _WORDS_PER_NEW) or one.has_new_place:
        return False
    asked = question.asked - fillers
    return len(asked) >= 2 * rule.question_terms and len(asked.intersection(one.order)) >= 0.4 * len(asked)


def _is_clause(
    one: _Worded,
    question: Question,
    clauses: Sequence[frozenset[str]],
    fillers: frozenset[str],
    rule: WordingParams,
) -> bool:
    """Return whether a subgoal adds no word and no definition to most of the terms of one clause."""
    said = frozenset(one.order) - fillers
    if one.new or one.has_new_place or not said or not clauses or _claims_symbol(one.subgoal, question):
        return False
    if len(one.order) >= rule.sentence_terms and _share_near(one.order, question.order) >= _COPIED_SHARE:
        return True
    quotes = [frozenset(list_terms(quote)) for quote in one.subgoal.covers]
    return any(
        len(said & clause) >= rule.same_share * len(said)
        and len(said & clause) >= rule.clause_share * len(clause & question.asked - fillers)
        for clause in (*clauses, *quotes)
    )


def _claims_symbol(subgoal: Subgoal, question: Question) -> bool:
    """Return whether it names a definition that the question does not; a file is no piece of work."""
    return any(not _is_path(place) and normalize_name(place) not in question.vocabulary for place in subgoal.where)


def _is_path(place: str) -> bool:
    return "/" in place or _FILE.fullmatch(place.strip()) is not None


def _find_repeated_subgoals(
    worded: Sequence[_Worded], fillers: frozenset[str], rule: WordingParams
) -> list[DecompositionFault]:
    faults = []
    for first, second in combinations(worded, 2):
        one, other = (_list_work(each, fillers) for each in (first, second))
        both = one | other
        if both and len(one & other) >= rule.same_share * len(both):
            message = f'is the same as "{first.subgoal.id}": merge them, or say what each does alone'
            faults.append(_make_fault("repeats_subgoal", second, message, fatal=True))
    return list({fault.subgoal: fault for fault in reversed(faults)}.values())[::-1]


def _list_work(one: _Worded, fillers: frozenset[str]) -> frozenset[str]:
    """List what distinguishes a subgoal: its terms, its places and its quotes."""
    return frozenset(one.order).difference(fillers).union(one.subgoal.where, one.subgoal.covers)


def _find_unclear(
    worded: Sequence[_Worded], question: Question, verbs: frozenset[str], rule: WordingParams
) -> list[DecompositionFault]:
    """Find subgoals that are only words of the question in a disorder; fatal when they are a third of all."""
    kinds = _map_kinds(rule)
    is_english = any(word in kinds for word in question.stems)
    found = [
        one
        for one in worded
        if is_english
        and len(one.new) <= rule.new_words
        and not one.has_new_place
        and not _is_sentence(one, question, kinds, verbs, rule)
    ]
    fatal = 2 * len(found) >= len(worded)
    remedy = "write one sentence: a verb, what it reads or changes, and the result"
    return [_make_fault("unclear", one, f"is not a sentence of work: {remedy}", fatal=fatal) for one in found]


def _is_sentence(
    one: _Worded, question: Question, kinds: dict[str, str], verbs: frozenset[str], rule: WordingParams
) -> bool:
    words = tokenize_text(one.subgoal.description).words
    row = [_END, *(kinds.get(word, word) for word in words), _END]
    if any(pair in _FORBIDDEN for pair in pairwise(row)) or any(map(_is_wrong_article, words, words[1:])):
        return False
    if one.new or len(one.order) < rule.sentence_terms:
        return True
    if words[0].endswith("ing"):
        return len(one.order) < _MIN_DISORDER or _share_near(one.order, question.order) >= rule.near_share / 2
    if words[0] in verbs:
        return not _is_shuffled(words, question, kinds, rule)
    if _begins_sentence(words, row[1:-1], question, verbs):
        return True
    return _share_near(one.order, question.order) >= rule.near_share


def _begins_sentence(words: Sequence[str], kinds: Sequence[str], question: Question, verbs: frozenset[str]) -> bool:
    """Return whether the first words are those of a heading, a question or a clause."""
    own = [word for word in words[:_BEGINNING] if word not in question.said]
    is_heading = words[0] in own and kinds[1:2] == ["preposition"]  # "Storage of cookies"
    is_question = list(kinds[:2]) == ["question", "auxiliary"]  # "Where is the heartbeat sent"
    return is_heading or is_question or any(word in verbs for word in own)  # "From both, say why …"


def _is_wrong_article(word: str, other: str) -> bool:
    """Return whether "a" is before a vowel that is always spoken as one, or "an" before such a consonant."""
    return (word == "a" and other[:1] in "aei") or (word == "an" and other[:1] in "bcdgjkpqtvwz")


def _is_shuffled(words: Sequence[str], question: Question, kinds: dict[str, str], rule: WordingParams) -> bool:
    """Return whether words after a verb are out of order, without a preposition or an article."""
    if any(kinds.get(word) in {"article", "preposition", "question"} for word in words):
        return False
    order = [stem for word in words[1:] if (stem := stem_word(word)) in question.order]
    return len(order) > rule.sentence_terms and _share_near(order, question.order) < rule.near_share


def _share_near(order: Sequence[str], question: Sequence[str]) -> float:
    """Return the share of neighbouring terms that are near each other, in this order, in the question."""
    near = {(term, other) for step in range(1, _MAX_DISTANCE + 1) for term, other in zip(question, question[step:])}  # noqa: B905 - the second is shorter
    pairs = list(pairwise(order))
    return sum(pair in near for pair in pairs) / len(pairs) if pairs else 1.0


def _map_kinds(rule: WordingParams) -> dict[str, str]:
    return {
        **dict.fromkeys(rule.articles, "article"),
        **dict.fromkeys(rule.prepositions, "preposition"),
        **dict.fromkeys(rule.auxiliaries, "auxiliary"),
        **dict.fromkeys(rule.questions, "question"),
        **dict.fromkeys(rule.conjunctions, "conjunction"),
        **dict.fromkeys(rule.pronouns, "pronoun"),
    }


def _make_fault(code: FaultCode, one: _Worded, message: str, *, fatal: bool) -> DecompositionFault:
    name = one.subgoal.id
    return DecompositionFault(code=code, fatal=fatal, subgoal=name, message=f'subgoal "{name}" {message}')
