{
  description = "git arborist lets coding agents work through a plan, one commit for each step";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = function: nixpkgs.lib.genAttrs systems (system: function nixpkgs.legacyPackages.${system});
      manifest = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).package;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          version = manifest.version;
          src = ./.;
          cargoLock.lockFile = ./Cargo.lock;
          # The tests need git, shells and a terminal; the project runs them itself.
          doCheck = false;
          postInstall = "$out/bin/git-arborist init man completions --prefix $out";
          meta = {
            description = manifest.description;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "git-arborist";
          };
        };
      });
    };
}
