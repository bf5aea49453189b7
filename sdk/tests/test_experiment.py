"""The file of a matrix and the scenarios it names: read as the platform reads them, every fault told by its place."""

from pathlib import Path

import pytest

from pipelines.odyssey.cli.experiment import read_experiment
from pipelines.odyssey.cli.failures import CommandFailedError

SCENARIO = "name: {}\nrisk_level: low\ninput_context: {{}}\nexpected_behavior: {{}}\n"


def write(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        place = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_json", ".json")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    return folder / "matrix.yaml"


def test_scenarios_are_found_beside_the_file_in_order_and_once(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        matrix_yaml="agent: 7\nscenarios: [s/*.yaml, s/b.yaml, more.json]\nvariations: [sycophancy]\nrepeats: 3\n",
        s__b_yaml=SCENARIO.format("b"),
        s__a_yaml="scenarios:\n- {name: a1, risk_level: low}\n- {name: a2, risk_level: low}\n",
        more_json='[{"name": "c"}]',
    )
    read = read_experiment(file)
    assert [entry.content["name"] for entry in read.entries] == ["a1", "a2", "b", "c"]
    assert (read.agent, read.world, read.variations) == (7, None, ["sycophancy"])
    assert read.settings == {"name": "matrix", "repeats": 3}


def test_what_the_platform_checks_is_passed_on_as_it_is(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        matrix_yaml="scenarios: one.yaml\nconfirm: false\nconfirm_runs_max: 64\nmin_match: {critical: 0.8, high: 0}\n",
        one_yaml=SCENARIO.format("one") + "protected: [customer, order.total]\n",
    )
    read = read_experiment(file)
    assert read.settings == {
        "name": "matrix",
        "confirm": False,
        "confirm_runs_max": 64,
        "min_match": {"critical": 0.8, "high": 0},
    }
    assert read.entries[0].content["protected"] == ["customer", "order.total"]


def test_a_plain_word_of_yaml_means_what_the_platform_takes_it_for(tmp_path: Path) -> None:
    said = "name: no\ninput_context: {a: yes, b: 1:30, c: 2026-01-31, d: 0o17, e: 1_000, f: 1.5, g: true, h: ~, i: 3}\n"
    file = write(tmp_path, matrix_yaml="scenarios: one.yaml\n", one_yaml=said)
    (entry,) = read_experiment(file).entries
    assert entry.content["name"] == "no"
    assert entry.content["input_context"] == {
        "a": "yes",
        "b": "1:30",
        "c": "2026-01-31",
        "d": "0o17",
        "e": "1_000",
        "f": 1.5,
        "g": True,
        "h": None,
        "i": 3,
    }
    assert read_experiment(file).variations is None


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("- a\n", "must have members such as agent, scenarios and variations"),
        (
            "scenarios: [s.yaml]\nrepeat: 3\n",
            "has a member repeat, which means nothing here; did you mean repeats?",
        ),
        ("scenarios: [s.yaml]\nzzz: 3\n", "which means nothing here; it may have agent, world, scenarios"),
        ("agent: 1\n", "scenarios names files of scenarios, such as scenarios/\\*.yaml"),
        ("scenarios: [1]\n", "scenarios names files of scenarios"),
        ("scenarios: [no/*.yaml]\n", 'no file is like "no/\\*.yaml"'),
        ("scenarios: [none.yaml]\n", "none.yaml cannot be read: No such file or directory"),
        ("scenarios: [s.yaml]\nvariations: sycophancy\n", "variations is `all`, or a list of names"),
        ("scenarios: [s.yaml]\nagent: [1]\n", "agent is a name or a number"),
        (
            "scenarios: [s.yaml, t.yaml]\n",
            "s.yaml and .*t.yaml both have a scenario one; give them different names",
        ),
        ("scenarios: [odd.yaml]\n", "odd.yaml must be a scenario or a list of scenarios"),
        ("scenarios: [s.yaml\n", "matrix.yaml is not YAML: .*line 2"),
        ("scenarios: [s.yaml]\nscenarios: [s.yaml]\n", "the key 'scenarios' is there twice, line 2"),
        ("scenarios: [s.yaml]\n1: 2\n", "the key 1 is not a text; put it in quotes, line 2"),
        ("scenarios: !!python/object:os.system [s.yaml]\n", "is not YAML: could not determine a constructor"),
        ("scenarios: [broken.json]\n", "broken.json is not JSON: .*line 1"),
        ("scenarios: [latin.yaml]\n", "latin.yaml cannot be read: it is not UTF-8"),
    ],
)
def test_a_fault_is_one_sentence_that_names_the_file(tmp_path: Path, content: str, sentence: str) -> None:
    file = write(
        tmp_path,
        matrix_yaml=content,
        s_yaml=SCENARIO.format("one"),
        t_yaml=SCENARIO.format("one"),
        odd_yaml="just a text\n",
        broken_json="{",
    )
    (tmp_path / "latin.yaml").write_bytes(b"name: caf\xe9\n")
    with pytest.raises(CommandFailedError, match=sentence):
        read_experiment(file)
