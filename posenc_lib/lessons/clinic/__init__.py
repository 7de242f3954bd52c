"""What is wrong with an encoding: how it is asked, what each test sees, and in which order."""
