"""What a norm is, without IR."""
from dataclasses import dataclass, fields
from typing import Optional, Tuple

#: A size that is known at launch only.
DYNAMIC = -1


@dataclass(frozen=True)
class Norm:
    """The description of one norm; the fields are those of ``normc_norm_descriptor``.

    Types are "f16", "bf16", "f32", "f64", or None for what is not there or not wanted.
    ``shape`` is x's, with ``DYNAMIC`` for sizes that are known at launch only.
    """

    op: str
    shape: Tuple[int, ...] = (DYNAMIC, DYNAMIC)
    norm_dims: int = 1
    dy: Optional[str] = None
    x: Optional[str] = None
    alpha: Optional[str] = None
    shift: Optional[str] = None
    weight: Optional[str] = None
    bias: Optional[str] = None
    y: Optional[str] = None
    statistics: bool = False
    dx: Optional[str] = None
    dalpha: Optional[str] = None
    dshift: Optional[str] = None
    dweight: Optional[str] = None
    dbias: Optional[str] = None
    epsilon: float = 0.0
    weight_offset: float = 0.0
    cast: str = "after_weight"
    activation: str = "tanh"
    accuracy: str = "auto"

    def fields(self):
        """The fields by name, as the native module takes them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def name(self):
        """A name that only this norm has, fit for a file."""
        shape = "x".join("n" if size == DYNAMIC else str(size) for size in self.shape)
        said = [self.op, shape]
        for field in fields(self)[2:]:
            value = getattr(self, field.name)
            if value != field.default:
                value = value.hex() if isinstance(value, float) else str(value)
                said.append(f"{field.name}_{value}")
        return "-".join(said)
