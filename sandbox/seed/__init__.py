"""What an AWS account finds in a region before anyone made anything: images, public parameters, a default VPC."""
