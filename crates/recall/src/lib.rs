//! Choosing which memories help with a request: analysis, ranking, abstention, strength.
