"""The libraries whose configurations rulekit knows how to draw."""

from collections.abc import Callable, Mapping

from rulekit.core.errors import InvalidParameterError, MissingExtraError
from rulekit.core.interfaces import Adapter
from rulekit.testing.fuzz.catboost_space import catboost_space
from rulekit.testing.fuzz.lightgbm_space import lightgbm_space
from rulekit.testing.fuzz.sklearn_space import sklearn_space
from rulekit.testing.fuzz.space import Space
from rulekit.testing.fuzz.xgboost_space import xgboost_space

#: By the name of the library's package.
SPACES: Mapping[str, Callable[[], Space]] = {
    "sklearn": sklearn_space,
    "xgboost": xgboost_space,
    "lightgbm": lightgbm_space,
    "catboost": catboost_space,
}


def library_space(library: str) -> Space:
    """The configurations of a built-in library; raise if it is not installed."""
    try:
        return SPACES[library]()
    except ImportError as error:
        raise MissingExtraError(f"{library} is not installed. Run pip install 'rulekit-rcprob[{library}]'.") from error


def space_of(adapter: Adapter) -> Space:
    """The configurations of the built-in library whose models an adapter accepts; raise if there is none."""
    for make in SPACES.values():
        try:
            space = make().for_adapter(adapter)
        except ImportError:
            continue
        if space.models:
            return space
    raise InvalidParameterError(
        f"fuzz_adapter: {type(adapter).__name__} accepts no model of the libraries that rulekit knows and that are "
        f"installed ({', '.join(SPACES)}). Pass the models of your library: space=Space([YourModel])."
    )
