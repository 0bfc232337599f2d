"""What the routes need from the rest of the program, a Protocol each. The services of `container.Container` fit; tests
bring fakes that fit too."""
