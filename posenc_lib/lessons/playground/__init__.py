"""The playground: any encoding in any view, with scenes, and a line that reopens what it shows."""
