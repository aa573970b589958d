from lexfield.cli.start import main

main()
