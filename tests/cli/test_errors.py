"""One line for what a user did, one for what nobody should have done, a traceback for those who ask."""

import warnings

import pytest
import typer

from rulekit.cli.errors import CommandError, in_one_line


def failing(error):
    @in_one_line
    def command(debug: bool = False) -> None:
        raise error

    return command


@pytest.mark.parametrize("error", [CommandError("no."), ValueError("no."), OSError("no.")])
class TestWrongInput:
    def test_is_one_line_and_exit_code_2(self, error, capsys):
        with pytest.raises(typer.Exit) as stopped:
            failing(error)()
        assert (stopped.value.exit_code, *capsys.readouterr()) == (2, "", "Error: no.\n")

    def test_is_raised_as_it_is_with_debug(self, error):
        with pytest.raises(type(error), match=r"no\."):
            failing(error)(debug=True)


def test_a_name_in_a_message_does_not_act_on_the_terminal(capsys):
    with pytest.raises(typer.Exit):
        failing(ValueError("no column \x1b[2J\u202e."))()
    assert capsys.readouterr().err == "Error: no column \\x1b[2J\\u202e.\n"


class TestBug:
    def test_is_one_line_that_asks_for_a_report_and_exit_code_1(self, capsys):
        with pytest.raises(typer.Exit) as stopped:
            failing(KeyError("x"))()
        assert stopped.value.exit_code == 1
        assert capsys.readouterr().err == (
            "Error: KeyError: 'x'. This is a bug in rulekit or in a plugin: run the command again with --debug and "
            "report the traceback.\n"
        )

    def test_is_raised_as_it_is_with_debug(self):
        with pytest.raises(KeyError):
            failing(KeyError("x"))(debug=True)


def test_a_message_of_several_lines_becomes_one(capsys):
    with pytest.raises(typer.Exit):
        failing(ValueError("first\n   second"))()
    assert capsys.readouterr().err == "Error: first second\n"


def test_a_closed_pipe_is_left_to_the_caller():
    with pytest.raises(BrokenPipeError):
        failing(BrokenPipeError())()


def test_an_exit_keeps_its_code():
    with pytest.raises(typer.Exit) as stopped:
        failing(typer.Exit(7))()
    assert stopped.value.exit_code == 7


def test_a_warning_is_one_line_without_a_place_in_the_code(capsys):
    @in_one_line
    def command(debug: bool = False) -> None:
        warnings.simplefilter("always")
        warnings.warn("mind\nthis", UserWarning, stacklevel=1)

    command()
    assert capsys.readouterr().err == "Warning: mind this\n"
