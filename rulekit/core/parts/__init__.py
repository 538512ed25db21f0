"""Training samples in several parts: in files, or on the workers of a cluster.

All that a search asks of its samples is a sum over samples, but for its greedy choices, and these need nothing but such
sums. So each part has an index of its own, `counting` holds the questions that a part answers, and `PartitionedIndex`
adds the answers up. They are integers, whose sum does not depend on the order of the parts: the rules are those of all
samples in one index.

A set of samples is never sent anywhere. `SampleSets` describes it by the antecedent that its samples satisfy, and each
part looks the samples up by itself. So what travels to a part and back does not grow with the samples.
"""

from rulekit.core.parts.counting import Parts
from rulekit.core.parts.data import PartitionedData
from rulekit.core.parts.index import PartitionedIndex
from rulekit.core.parts.sets import SampleSets

__all__ = ["PartitionedData", "PartitionedIndex", "Parts", "SampleSets"]
