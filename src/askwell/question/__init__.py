"""Reading English: tokens, stems, numbers and periods, for whoever reads what people ask."""
