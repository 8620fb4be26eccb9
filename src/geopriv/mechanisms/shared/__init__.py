"""Far questions in one report: several tables, of which a report says what one of them says, or nothing."""
