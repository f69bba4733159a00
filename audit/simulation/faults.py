"""Every fault that the simulator knows."""

from audit.rulebook import Rulebook
from audit.simulation.baccarat_faults import BACCARAT_FAULTS
from audit.simulation.dealing_faults import DEALING_FAULTS
from audit.simulation.decision_faults import DECISION_FAULTS
from audit.simulation.drawing_faults import DRAWING_FAULTS
from audit.simulation.fault import Fault
from audit.simulation.payment_faults import PAYMENT_FAULTS
from audit.simulation.shoe_faults import SHOE_FAULTS
from audit.simulation.wager_faults import WAGER_FAULTS

FAULTS: tuple[Fault, ...] = (
    *PAYMENT_FAULTS,
    *BACCARAT_FAULTS,
    *DEALING_FAULTS,
    *DRAWING_FAULTS,
    *DECISION_FAULTS,
    *WAGER_FAULTS,
    *SHOE_FAULTS,
)


def faults_of(book: Rulebook) -> tuple[Fault, ...]:
    """Give the faults that the document of a game gives ground to judge."""
    return tuple(fault for fault in FAULTS if fault.suits(book))
