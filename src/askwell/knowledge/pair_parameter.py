"""A parameter of a saved SQL pair."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator

ShortText = Annotated[str, Field(max_length=1_000, pattern=r"^[^\u0000]*$")]


class PairParameter(BaseModel):
    """What stands as `:name` in the SQL of a pair. `type` is a SQL type; an optional one may have a `default`."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$")]
    type: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_ (),]{0,63}$")] = "VARCHAR"
    description: ShortText | None = None
    required: StrictBool = True
    default: StrictBool | int | Annotated[float, Field(allow_inf_nan=False)] | ShortText | None = None

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data
