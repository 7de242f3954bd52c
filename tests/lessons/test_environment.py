"""The check of the environment: silent about what is fine, in words about what is not."""

from importlib import metadata

from posenc_lib.lessons import environment


def test_here_everything_is_in_place(capsys):
    environment.check_environment()
    assert capsys.readouterr().out == "Everything is in place: the sliders below will move.\n"


def test_what_is_old_or_missing_is_named_with_the_mend(monkeypatch, capsys):
    def version(name):
        if name == "matplotlib":
            raise metadata.PackageNotFoundError(name)
        return "7.9" if name == "ipywidgets" else "99"

    monkeypatch.setattr(environment.metadata, "version", version)
    monkeypatch.setattr(environment.platform, "python_version", lambda: "3.10.4")
    environment.check_environment()
    text = capsys.readouterr().out
    assert "Python 3.10.4 runs here, >=3.11 is needed." in text
    assert "ipywidgets 7.9 is here, >=8.1 is needed." in text
    assert "matplotlib is missing." in text
    assert "pip install -r requirements.txt" in text
    assert "hypothesis" not in text  # only tests need it
    assert "jupyterlab" not in text  # Colab, VS Code and others have front ends of their own
