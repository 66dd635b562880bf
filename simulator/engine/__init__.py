"""Plans and the engines that run them."""
