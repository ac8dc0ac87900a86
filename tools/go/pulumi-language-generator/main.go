// pulumi-language-generator generates programs and SDKs, which language hosts built from a Go module do not support. Its file name selects the
// language: pulumi-language-nodejs, -python or -go. It does not run programs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

type files = map[string][]byte

// language has the generators of one language.
type language struct {
	toProgram func(*pcl.Program) (files, hcl.Diagnostics, error)
	toPackage func(*schema.Package, *pulumirpc.GeneratePackageRequest, schema.ReferenceLoader) (files, error)
	// link makes the SDK in a folder a dependency of the program in the current one.
	link func(sdk string) error
}

const tool = "pulumi-language-generator"

var languages = map[string]language{
	"nodejs": {nodejs.GenerateProgram, func(pkg *schema.Package, request *pulumirpc.GeneratePackageRequest, loader schema.ReferenceLoader) (files, error) {
		return nodejs.GeneratePackage(tool, pkg, request.ExtraFiles, request.LocalDependencies, request.Local, loader)
	}, func(sdk string) error {
		return run("npm", "pkg", "set", "dependencies.pulumi-steward=file:"+sdk)
	}},
	"python": {python.GenerateProgram, func(pkg *schema.Package, request *pulumirpc.GeneratePackageRequest, loader schema.ReferenceLoader) (files, error) {
		return python.GeneratePackage(tool, pkg, request.ExtraFiles, loader)
	}, func(sdk string) error {
		requirements, err := os.ReadFile("requirements.txt")
		if err != nil {
			return err
		}
		return os.WriteFile("requirements.txt", fmt.Appendf(requirements, "%s\n", sdk), 0o644)
	}},
	"go": {golang.GenerateProgram, func(pkg *schema.Package, request *pulumirpc.GeneratePackageRequest, _ schema.ReferenceLoader) (files, error) {
		return golang.GeneratePackage(tool, pkg, request.LocalDependencies)
	}, func(sdk string) error {
		module, err := exec.Command("go", "-C", sdk, "list", "-m").Output()
		if err != nil {
			return err
		}
		name := strings.TrimSpace(string(module))
		return run("go", "mod", "edit", "-require", name+"@v0.0.0", "-replace", name+"=./"+sdk)
	}},
}

func run(name string, arguments ...string) error {
	output, err := exec.Command(name, arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, output)
	}
	return nil
}

type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	language
}

func (host *host) GenerateProgram(_ context.Context, request *pulumirpc.GenerateProgramRequest) (*pulumirpc.GenerateProgramResponse, error) {
	loader, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	parser := syntax.NewParser()
	for path, source := range request.Source {
		if err := parser.ParseFile(strings.NewReader(source), path); err != nil {
			return nil, err
		}
	}
	if parser.Diagnostics.HasErrors() {
		return nil, parser.Diagnostics
	}
	options := []pcl.BindOption{pcl.PreferOutputVersionedInvokes}
	if !request.Strict {
		options = append(options, pcl.NonStrictBindOptions()...)
	}
	program, diagnostics, err := pcl.BindProgram(parser.Files, schema.NewCachedLoader(loader), options...)
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.GenerateProgramResponse{}
	if !diagnostics.HasErrors() {
		var more hcl.Diagnostics
		if response.Source, more, err = host.toProgram(program); err != nil {
			return nil, err
		}
		diagnostics = append(diagnostics, more...)
	}
	response.Diagnostics = plugin.HclDiagnosticsToRPCDiagnostics(diagnostics)
	return response, nil
}

func (host *host) GeneratePackage(_ context.Context, request *pulumirpc.GeneratePackageRequest) (*pulumirpc.GeneratePackageResponse, error) {
	client, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	loader := schema.NewCachedLoader(client)
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(request.Schema), &spec); err != nil {
		return nil, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, loader, schema.ValidationOptions{AllowDanglingReferences: true})
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.GeneratePackageResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(diagnostics)}
	if diagnostics.HasErrors() {
		return response, nil
	}
	generated, err := host.toPackage(pkg, request, loader)
	if err != nil {
		return nil, err
	}
	for name, content := range generated {
		file := filepath.Join(request.Directory, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return nil, err
		}
	}
	return response, nil
}

// Link is the call of `pulumi package add` after it has generated an SDK.
func (host *host) Link(_ context.Context, request *pulumirpc.LinkRequest) (*pulumirpc.LinkResponse, error) {
	if err := os.Chdir(request.Info.RootDirectory); err != nil {
		return nil, err
	}
	for _, linked := range request.Packages {
		if err := host.link(linked.Path); err != nil {
			return nil, err
		}
	}
	return &pulumirpc.LinkResponse{}, nil
}

// InstallDependencies does nothing: the tests install them.
func (*host) InstallDependencies(*pulumirpc.InstallDependenciesRequest, pulumirpc.LanguageRuntime_InstallDependenciesServer) error {
	return nil
}

// GetPluginInfo is the first call of the command line to each host.
func (*host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

func main() {
	name := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), "pulumi-language-")
	chosen, known := languages[name]
	if !known {
		fmt.Fprintf(os.Stderr, "%s: there is no generator for %s.\n", tool, name)
		os.Exit(1)
	}
	served, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, &host{language: chosen})
			return nil
		},
	})
	if err == nil {
		fmt.Println(served.Port)
		err = <-served.Done
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", tool, err)
		os.Exit(1)
	}
}
