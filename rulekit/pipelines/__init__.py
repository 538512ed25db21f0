"""Rules in the columns of the table: the trees of a pipeline's ensemble, as trees on what the pipeline is given."""
