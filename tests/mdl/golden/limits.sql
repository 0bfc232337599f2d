CREATE VIEW visits ( -- One row for each visit. One row for each visit. One row for each visit. One row for each visit. One…; synonyms "call 0", "call 1", "call 2", "call 3", "call 4", … 35 more
  state VARCHAR, -- [ESSENTIAL] values 'state 0', 'state 1', 'state 2', 'state 3', 'state 4', … 295 more
  form STRUCT(f0 INTEGER, f1 INTEGER, f2 INTEGER, f3 INTEGER, f4 INTEGER, f5 INTEGER, f6 INTEGER, f7 INTEG…,
  score DOUBLE, -- Calculated Field: case when a then b when a then b when a then b when a then b when a then b when a then b when a the…
  answers JSON -- json_type JSON; json_fields question_0 INTEGER, question_1 INTEGER, question_2 INTEGER, question_3 INTEGER, … 76 more; nested_columns question_0, question_1, question_2, question_3, question_4, … 75 more
);
-- Join hint: visits.state = states_0.code
-- Join hint: visits.state = states_1.code
-- Join hint: visits.state = states_2.code
-- Join hint: … 27 more
